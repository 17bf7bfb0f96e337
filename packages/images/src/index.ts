// The package's exports: what a release is made from.

export { assembleNpmPackage } from "./npm-package.ts";
export { type Architecture, addImage, type Image, labelsOf, type Origin } from "./oci/image.ts";
export { completeLayout, type Reference, writeArchive } from "./oci/layout.ts";
export { tarOf } from "./oci/tar.ts";
export { type Program, type ProgramName, programNames, programOf } from "./program.ts";
export { assembleRootfs } from "./rootfs.ts";
export { assembleRunnables } from "./runnable.ts";
export { foreignRuntime, ownRuntime, type Runtime } from "./runtime.ts";
