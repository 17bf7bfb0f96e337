// Puts a part into an element, in a shadow root: styles of the page and of the part do not meet.
import { ThemeContext } from "@plimsoll/console";
import consoleStyle from "@plimsoll/console/style.css?inline";
import { type ComponentChild, render } from "preact";
import { LiveCase } from "./live-case.tsx";
import ownStyle from "./playground.css?inline";
import { Playground } from "./playground.tsx";
import { shadowStyle } from "./shadow-style.ts";

/** What is shown. */
export type Part =
  | { readonly kind: "playground" }
  | { readonly kind: "case"; readonly source: string; readonly label: string; readonly playground: string };

/** Shows the part until the returned function is called; follows the theme of the page. */
export function mount(host: HTMLElement, part: Part): () => void {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = shadowStyle(consoleStyle) + ownStyle;
  const place = document.createElement("div");
  root.replaceChildren(style, place);
  const show = (): void => {
    const theme = document.documentElement.classList.contains("dark") ? "dark" : "light";
    host.dataset["theme"] = theme;
    render(<ThemeContext.Provider value={theme}>{elementOf(part)}</ThemeContext.Provider>, place);
  };
  show();
  const themes = new MutationObserver(show);
  themes.observe(document.documentElement, { attributeFilter: ["class"] });
  return () => {
    themes.disconnect();
    render(null, place);
    root.replaceChildren();
  };
}

function elementOf(part: Part): ComponentChild {
  if (part.kind === "playground") return <Playground />;
  const { source, label, playground } = part;
  return <LiveCase source={source} label={label} playground={playground} />;
}
