// A reporter for node's own test runner. Its JUnit reporter names neither files nor, in TAP, the
// file that a test stands in, so two tests of the same name would be one. This one appends a line
// of JSON for each result to the file beside it, however many runners a command starts.
#pragma once

#include <string_view>

namespace capsule::gate {

inline constexpr std::string_view kNodeReporter = R"js(import { appendFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const report = fileURLToPath(new URL('report', import.meta.url));

export default async function* reporter(source) {
  const open = new Map(); // by file: the names around, by nesting
  appendFileSync(report, '');
  for await (const { type, data } of source) {
    if (!['test:start', 'test:pass', 'test:fail'].includes(type)) continue;
    const file = data.file ?? '';
    if (!open.has(file)) open.set(file, []);
    const names = open.get(file);
    names.length = data.nesting;
    names[data.nesting] = data.name;
    if (type === 'test:start') continue;
    // A suite says no more than what is in it, unless it fails by itself.
    const own = data.details?.error?.failureType !== 'subtestsFailed';
    if (data.details?.type === 'suite' && (type === 'test:pass' || !own)) continue;
    const skipped = data.skip !== undefined && data.skip !== false;
    const todo = data.todo !== undefined && data.todo !== false;
    const state = skipped || (todo && type === 'test:fail') ? 'skipped'
      : type === 'test:pass' ? 'passed' : 'failed';
    const where = file && relative(process.cwd(), file);
    const whole = data.nesting === 0 && file && resolve(data.name) === resolve(file);
    const name = whole ? where : (where ? where + '::' : '') + Array.from(names, String).join(' > ');
    appendFileSync(report, JSON.stringify({ name, state }) + '\n');
  }
}
)js";

}  // namespace capsule::gate
