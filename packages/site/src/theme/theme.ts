// The default theme with the fonts of the reader's system: no font is loaded.
import { default as defaultTheme } from "vitepress/theme-without-fonts";
import "./style.css";

export const theme = defaultTheme;
