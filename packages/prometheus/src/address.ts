/**
 * What is wrong with the address of a Prometheus; undefined: nothing. A password with an unencoded delimiter
 * makes an address of another host, to which half of the password would be sent.
 */
export function addressProblem(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be an http or https URL";
  const hasCredentials = url.username !== "" || url.password !== "";
  const isSplit = hasCredentials && `${url.pathname}${url.search}`.includes("@");
  if (!isSplit && url.hash === "") return undefined;
  return 'must have no fragment, and "/", "?" and "#" of a password written as %2F, %3F and %23';
}
