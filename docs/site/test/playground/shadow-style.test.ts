// The style sheet of a document as that of a shadow root.
import { expect, test } from "vitest";
import { shadowStyle } from "../../src/playground/shadow-style.ts";

test.each([
  [":root {", ":host {"],
  [':root[data-theme="dark"] {', ':host([data-theme="dark"]) {'],
  [':root:not([data-theme="light"]){', ':host(:not([data-theme="light"])){'],
  [":root:root:root {", ":host {"],
  ["}html{", "}:host{"],
  ["body {", ":host {"],
  [".step-body {", ".step-body {"],
  ["tbody td{", "tbody td{"],
])("%s becomes %s", (css, expected) => {
  expect(shadowStyle(css)).toBe(expected);
});
