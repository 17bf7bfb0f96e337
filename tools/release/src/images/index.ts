// What a release is made from.

export { assembleNpmPackage } from "./npm-package.ts";
export { type Architecture, addImage, type Image } from "./oci/image.ts";
export { completeLayout, writeArchive } from "./oci/layout.ts";
export { tarOf } from "./oci/tar.ts";
export { type ProgramName, programNames, programOf } from "./program.ts";
export { assembleRootfs } from "./rootfs.ts";
export { assembleRunnables } from "./runnable.ts";
export { foreignRuntime, ownRuntime, type Runtime } from "./runtime.ts";
