// What stands against WCAG 2.2 AA on a page as it is now: nothing, or the scene fails.
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

export async function accessible(page, where) {
  const found = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  assert.deepEqual(found.violations.map((one) => [where, one.id, one.nodes[0].html]), []);
}

export async function accessibleInBothThemes(page, where) {
  for (const theme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme: theme });
    await accessible(page, where + ", " + theme);
  }
}
