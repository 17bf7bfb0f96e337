// A decision in sentences, in a part of its own.
export { explain } from "@plimsoll/core";
