// The default theme with the fonts of the reader's system: no font is loaded.
import type { Theme } from "vitepress";
import { default as defaultTheme } from "vitepress/theme-without-fonts";
import { LivePart } from "./live-part.ts";
import "./style.css";

export const theme: Theme = {
  extends: defaultTheme,
  enhanceApp({ app }) {
    app.component("LivePart", LivePart);
  },
};
