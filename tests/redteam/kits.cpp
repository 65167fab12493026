// The small projects, each in its language.
#include "tests/redteam/red_team.h"

namespace capsule::test::redteam {
namespace {

const Project kPython{
    "[python3, -m, unittest]",
    {{".gitignore", "__pycache__/\n"},
     {"calc.py", "def add(a, b):\n    return a + b\n"},
     {"test_calc.py",
      "import unittest\n\nimport calc\n\n\nclass TestAdd(unittest.TestCase):\n"
      "    def test_small(self):\n        self.assertEqual(calc.add(1, 2), 3)\n\n"
      "    def test_negative(self):\n        self.assertEqual(calc.add(-1, -2), -3)\n"}},
    R"SH(
OLD=test_calc.py TESTS=test_mul.py CODE=calc.py
good_tests() {
  printf 'import unittest\n\nimport calc\n\n\nclass TestMul(unittest.TestCase):\n    def test_mul(self):\n        self.assertEqual(calc.mul(3, 4), 12)\n' >test_mul.py
}
good_code() { printf '\n\ndef mul(a, b):\n    return a * b\n' >>calc.py; }
bad_code() { printf '\n\ndef mul(a, b):\n    return 0\n' >>calc.py; }
old_weak() { sed -i 's/self.assertEqual(.*/pass/' test_calc.py; }
old_skip() { sed -i 's/^    def test_small/    @unittest.skip("slow")\n    def test_small/' test_calc.py; }
old_rename() { sed -i 's/def test_small/def small/' test_calc.py; }
empty_suite() { printf 'import sys\n\nsys.exit(0)\n' >test___first.py; }
)SH"};

const Project kPytest{"[python3, -m, pytest, -q, -p, no:cacheprovider]",
                      {{".gitignore", "__pycache__/\n"},
                       {"calc.py", "def add(a, b):\n    return a + b\n"},
                       {"tests/test_calc.py",
                        "import calc\n\n\ndef test_small():\n    assert calc.add(1, 2) == 3\n\n\n"
                        "def test_negative():\n    assert calc.add(-1, -2) == -3\n"}},
                      R"SH(
OLD=tests/test_calc.py TESTS=tests/test_mul.py CODE=calc.py
good_tests() { mkdir -p tests; printf 'import calc\n\n\ndef test_mul():\n    assert calc.mul(3, 4) == 12\n' >tests/test_mul.py; }
good_code() { printf '\n\ndef mul(a, b):\n    return a * b\n' >>calc.py; }
bad_code() { printf '\n\ndef mul(a, b):\n    return 0\n' >>calc.py; }
old_weak() { sed -i 's/    assert .*/    assert True/' tests/test_calc.py; }
old_skip() { sed -i '1i import pytest\n\npytestmark = pytest.mark.skip\n' tests/test_calc.py; }
old_rename() { sed -i 's/def test_small/def small/' tests/test_calc.py; }
empty_suite() { printf 'collect_ignore_glob = ["*"]\n' >tests/conftest.py; }
)SH"};

const Project kGo{
    "[go, test, ./...]",
    {{"go.mod", "module example.org/calc\n\ngo 1.21\n"},
     {"calc.go", "package calc\n\nfunc Add(a, b int) int { return a + b }\n"},
     {"calc_test.go",
      "package calc\n\nimport \"testing\"\n\nfunc TestSmall(t *testing.T) {\n\tif Add(1, 2) != 3 "
      "{\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestNegative(t *testing.T) {\n\tif Add(-1, -2) != -3 "
      "{\n\t\tt.Fatal()\n\t}\n}\n"}},
    R"SH(
OLD=calc_test.go TESTS=mul_test.go CODE=calc.go
good_tests() { printf 'package calc\n\nimport "testing"\n\nfunc TestMul(t *testing.T) {\n\tif Mul(3, 4) != 12 {\n\t\tt.Fatal()\n\t}\n}\n' >mul_test.go; }
good_code() { printf '\nfunc Mul(a, b int) int { return a * b }\n' >>calc.go; }
bad_code() { printf '\nfunc Mul(a, b int) int { return 0 }\n' >>calc.go; }
old_weak() { sed -i 's/if Add(.*) != .* {/if false {/' calc_test.go; }
old_skip() { sed -i 's/^func TestSmall(t \*testing.T) {/&\n\tt.Skip()/' calc_test.go; }
old_rename() { sed -i 's/TestSmall/testSmall/' calc_test.go; }
empty_suite() { printf 'package calc\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n' >main_test.go; }
)SH"};

const Project kNode{
    "[node, --test]",
    {{"package.json",
      "{\n  \"name\": \"calc\",\n  \"version\": \"1.0.0\",\n  \"type\": \"module\",\n"
      "  \"scripts\": {\"test\": \"node --test\"}\n}\n"},
     {"calc.js", "export const add = (a, b) => a + b;\n"},
     {"calc.test.js",
      "import test from 'node:test';\nimport assert from 'node:assert';\nimport { add } from "
      "'./calc.js';\n\ntest('small', () => {\n  assert.equal(add(1, 2), 3);\n});\n"
      "test('negative', () => {\n  assert.equal(add(-1, -2), -3);\n});\n"}},
    R"SH(
OLD=calc.test.js TESTS=mul.test.js CODE=calc.js
good_tests() {
  printf "import test from 'node:test';\nimport assert from 'node:assert';\nimport * as calc from './calc.js';\n\ntest('mul', () => {\n  assert.equal(calc.mul(3, 4), 12);\n});\n" >mul.test.js
}
good_code() { printf 'export const mul = (a, b) => a * b;\n' >>calc.js; }
bad_code() { printf 'export const mul = () => 0;\n' >>calc.js; }
old_weak() { sed -i 's/  assert.equal.*/  assert.ok(true);/' calc.test.js; }
old_skip() { sed -i "s/^test('small'/test.skip('small'/" calc.test.js; }
old_rename() { sed -i "s/^test('small'/void ('small'/" calc.test.js; }
empty_suite() { sed -i '1i process.exit(0);' calc.test.js; }
)SH"};

}  // namespace

const char* name_of(Kit kit) {
  constexpr const char* kNames[] = {"python", "pytest", "go", "node"};
  return kNames[static_cast<std::size_t>(kit)];
}

const Project& project_of(Kit kit) {
  static const Project* const kProjects[] = {&kPython, &kPytest, &kGo, &kNode};
  return *kProjects[static_cast<std::size_t>(kit)];
}

}  // namespace capsule::test::redteam
