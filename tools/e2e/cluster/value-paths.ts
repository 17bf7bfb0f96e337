// The paths of a chart's values, in its schema and in its file of values.

export interface SchemaNode {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly definitions?: Readonly<Record<string, SchemaNode>>;
}

function resolved(node: SchemaNode, schema: SchemaNode): SchemaNode {
  return node.$ref === undefined ? node : (schema.definitions?.[node.$ref.split("/").at(-1) ?? ""] ?? {});
}

/** Rules and issuers are free to have what they have. */
const open =
  /^(?:rules\.resource|adapter\.certManager\.issuerRef|monitoring\.serviceMonitor\.prometheusServiceAccount)$/;

/** The paths of the values that a schema has. */
export function* schemaPaths(node: SchemaNode, schema: SchemaNode, path: string): Generator<string> {
  const { properties } = resolved(node, schema);
  if (properties === undefined || open.test(path)) yield path;
  else
    for (const [key, child] of Object.entries(properties))
      yield* schemaPaths(child, schema, path === "" ? key : `${path}.${key}`);
}

/** The values of prometheus-adapter's chart, which the templates refuse. */
export function* movedPaths({ properties = {} }: SchemaNode): Generator<string> {
  for (const [key, { $ref }] of Object.entries(properties)) if ($ref === "#/definitions/moved") yield key;
}

/** The paths of the values that a file has, as deep as the schema goes. */
export function* valuePaths(
  value: unknown,
  node: SchemaNode,
  schema: SchemaNode,
  path: string,
): Generator<string> {
  const { properties } = resolved(node, schema);
  if (properties === undefined || open.test(path)) yield path;
  else
    for (const [key, child] of Object.entries(value as Readonly<Record<string, unknown>>))
      yield* valuePaths(child, properties[key] ?? {}, schema, path === "" ? key : `${path}.${key}`);
}
