// Half of the pages: the other half is checked at the same time.
import { useBrowser } from "./browser.ts";
import { addresses, checkPages } from "./pages.ts";

checkPages(
  useBrowser(),
  addresses.filter((_, index) => index % 2 === 0),
);
