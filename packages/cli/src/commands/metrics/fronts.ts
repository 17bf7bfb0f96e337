// Which class an Ingress or an HTTPRoute has, and which controller serves it.
import type { Reader, Wire } from "./reader.ts";

/** An Ingress or an HTTPRoute. */
export interface Front {
  readonly resource: "ingresses.networking.k8s.io" | "httproutes.gateway.networking.k8s.io";
  readonly name: string;
  readonly className: string;
  /** Of the class; undefined where it is not known. */
  readonly controller: string | undefined;
  /** Of an HTTPRoute: the name of its Gateway, where that is in the same namespace. */
  readonly gateway?: string | undefined;
}

export const networking = (resource: string) => ({ group: "networking.k8s.io", version: "v1", resource });
export const gateway = (resource: string) => ({
  group: "gateway.networking.k8s.io",
  version: "v1",
  resource,
});

export async function ingressFront({ metadata, spec }: Wire, reader: Reader): Promise<Front> {
  const resource = "ingresses.networking.k8s.io";
  const named = spec?.ingressClassName ?? metadata.annotations?.["kubernetes.io/ingress.class"];
  const classes = await reader.list(networking("ingressclasses"), "everywhere");
  const found = classes?.find((one) =>
    named === undefined
      ? one.metadata.annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true"
      : one.metadata.name === named,
  );
  const className = named ?? found?.metadata.name ?? "";
  if (classes !== undefined && found === undefined)
    reader.notes.push(
      className === ""
        ? `Ingress ${metadata.name} has no class, and no IngressClass is the default: set spec.ingressClassName`
        : `Ingress ${metadata.name} has the class "${className}", which no IngressClass has: list them with kubectl get ingressclasses`,
    );
  return { resource, name: metadata.name, className, controller: found?.spec?.controller };
}

/** By one of its parents. */
export async function routeFront(
  { metadata, spec }: Wire,
  namespace: string,
  reader: Reader,
  parent = spec?.parentRefs?.[0],
): Promise<Front> {
  const route = { resource: "httproutes.gateway.networking.k8s.io", name: metadata.name } as const;
  const unknown = { ...route, className: "", controller: undefined };
  if (parent === undefined) {
    reader.notes.push(`HTTPRoute ${metadata.name} names no Gateway: set spec.parentRefs`);
    return unknown;
  }
  const place = `${parent.namespace ?? namespace}/${parent.name}`;
  const found = await reader.get(gateway("gateways"), parent.name, parent.namespace ?? namespace);
  const className = found?.spec?.gatewayClassName;
  if (className === undefined) {
    const isDenied = reader.notes.some((note) => note.includes(`${place} may not be read`));
    if (!isDenied) reader.notes.push(`HTTPRoute ${metadata.name} names Gateway ${place}, which is not there`);
    return unknown;
  }
  const isNear = (parent.namespace ?? namespace) === namespace;
  const controller = await controllerOf(className, place, reader);
  return { ...route, className, controller, gateway: isNear ? parent.name : undefined };
}

/** Of a GatewayClass. */
export async function controllerOf(
  className: string,
  place: string,
  reader: Reader,
): Promise<string | undefined> {
  const ofClass = await reader.get(gateway("gatewayclasses"), className);
  const isDenied = reader.notes.some((note) => note.includes(`${className} may not be read`));
  if (ofClass === undefined && !isDenied)
    reader.notes.push(`Gateway ${place} has the class "${className}", which no GatewayClass has`);
  return ofClass?.spec?.controllerName;
}
