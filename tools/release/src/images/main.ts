// npm run task -- image-rootfs PROGRAM FOLDER: fills FOLDER with the root filesystem of PROGRAM's image.
// SOURCE_DATE_EPOCH is the time of its files, GIT_COMMIT the commit that --version prints. CLOUD_CREDENTIALS=true puts the
// libraries in with which sources of the adapter have credentials of AWS, Google Cloud and Azure.
import { isProgramName, programOf } from "./program.ts";
import { assembleRootfs } from "./rootfs.ts";
import { ownRuntime } from "./runtime.ts";

const [name, folder] = process.argv.slice(2);
if (!isProgramName(name) || folder === undefined) {
  process.stderr.write("usage: npm run task -- image-rootfs metrics-adapter|autoscaler FOLDER\n");
  process.exitCode = 2;
} else {
  await assembleRootfs({
    program: programOf(name),
    folder,
    node: ownRuntime(),
    epochSeconds: Number(process.env["SOURCE_DATE_EPOCH"] ?? 0),
    gitHead: process.env["GIT_COMMIT"],
    hasCloudCredentials: process.env["CLOUD_CREDENTIALS"] === "true",
  });
}
