// npm run package:cli -- FOLDER: fills FOLDER with the command line as a package for npm. GIT_COMMIT is the
// commit that --version prints.
import { assembleNpmPackage } from "./npm-package.ts";

const [folder, ...others] = process.argv.slice(2);
if (folder === undefined || others.length > 0) {
  process.stderr.write("usage: npm run package:cli -- FOLDER\n");
  process.exitCode = 2;
} else {
  await assembleNpmPackage(folder, process.env["GIT_COMMIT"]);
}
