// npm run task -- package-cli FOLDER [COMMIT]: fills FOLDER with the command line as a package for npm. --version prints COMMIT.
import { assembleNpmPackage } from "./npm-package.ts";

const [folder, commit, ...others] = process.argv.slice(2);
if (folder === undefined || folder.startsWith("-") || others.length > 0) {
  process.stderr.write("usage: npm run task -- package-cli FOLDER [COMMIT]\n");
  process.exitCode = 2;
} else {
  await assembleNpmPackage(folder, commit);
}
