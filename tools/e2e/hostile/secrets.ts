// What the adapter must keep to itself, and the forms in which a server can hand it back.

/** With characters that are written another way in a URL. */
export const userName = "adapter";
export const password = "p@ss w/rd+of=the%adapter?71";
export const key = "k3y/of the+adapter&more=92";
export const token = "t0ken.of/the-adapter+for_bearer=53";

/** On the pages of the victim's pods. */
export const pageSecret = "s3cret-of-the-victims-page_64";
/** On those of the tenant's pods, which the tenant may read and nobody else. */
export const tenantPageSecret = "s3cret_of_the_tenants_page_46";

const encodings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => Buffer.from(text).toString("base64"),
  (text) => Buffer.from(text).toString("base64url"),
  (text) => Buffer.from(text).toString("hex"),
  (text) => Buffer.from(text).toString("hex").toUpperCase(),
  encodeURIComponent,
];

/** A secret in each form. */
export const formsOf = (text: string): readonly string[] => encodings.map((encode) => encode(text));

/** None of these may be read anywhere. */
export const secretTexts: readonly string[] = [
  ...new Set([password, key, token, pageSecret, `${userName}:${password}`].flatMap(formsOf)),
];

/** What a server got from us, in each form: its n-th message has the n-th. */
export function echoed(headers: Readonly<Record<string, string | string[] | undefined>>): readonly string[] {
  const [scheme = "", credentials = ""] = String(headers["authorization"] ?? "").split(" ");
  const basic = scheme === "Basic" ? Buffer.from(credentials, "base64").toString() : "";
  const parts = [credentials, basic, basic.slice(basic.indexOf(":") + 1), String(headers["x-key"] ?? "")];
  return parts.filter((part) => part !== "").flatMap(formsOf);
}
