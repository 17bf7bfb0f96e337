/** Whether the terminal shows more than ASCII, by the locale of POSIX; a Windows terminal does. */
export function showsUtf8(env: Readonly<Record<string, string | undefined>>, platform: string): boolean {
  if (platform === "win32") return true;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return /utf-?8/i.test(locale);
}
