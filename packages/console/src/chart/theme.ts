// The theme around parts that are embedded elsewhere: a chart is drawn again when it changes.
import { createContext } from "preact";

/** Any text that is another one in another theme. */
export const ThemeContext = createContext("auto");
