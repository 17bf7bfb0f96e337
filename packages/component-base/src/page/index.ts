// A built page, as both of its servers serve it.
export { type PageFile, type PageFiles, readPageFiles } from "./files.ts";
export { securityHeaders } from "./headers.ts";
