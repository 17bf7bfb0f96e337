// The console's style sheet is about a whole document; within a shadow root its host is the document.

/** `:root`, `html` and `body` become `:host`, with what they are asked to have. */
export function shadowStyle(css: string): string {
  return css
    .replaceAll(/:root((?:\[[^\]]*\]|:not\([^)]*\)|:root)*)/g, (_, has: string) => {
      const wanted = has.replaceAll(":root", "");
      return wanted === "" ? ":host" : `:host(${wanted})`;
    })
    .replaceAll(/(^|[},\s])(?:html|body)(?=\s*[{,])/g, "$1:host");
}
