// Libraries of clouds, which are loaded only where a source needs them.

/** How a library is imported: a place of its own, so that bundlers see each name. */
export type ImportLibrary<T> = () => Promise<T>;

/** @throws Error, which says what to do, where it is not installed */
export async function loadLibrary<T>(name: string, type: string, load: ImportLibrary<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new Error(
      `auth of type ${type} needs the package ${name}, which isn't installed: use the image with cloud credentials, or install it`,
      { cause: error },
    );
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}
