// Discovery documents of the fake API server.
import { served } from "./resources.ts";

/** Undefined when the path names no document. @param groups groups and versions beside those of the served kinds. */
export function discover(path: string, groups: ReadonlySet<string>): unknown {
  const all = new Set([...served.map((item) => item.path.replace(/^\/apis?\//, "")), ...groups]);
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
  if (path === "/apis") {
    const names = [...new Set([...all].filter((gv) => gv.includes("/")).map((gv) => gv.split("/")[0] ?? ""))];
    return {
      kind: "APIGroupList",
      groups: names.map((name) => {
        const versions = [...all]
          .filter((gv) => gv.startsWith(`${name}/`))
          .map((groupVersion) => ({ groupVersion, version: groupVersion.split("/")[1] }));
        return { name, versions, preferredVersion: versions[0] };
      }),
    };
  }
  const groupVersion = path.replace(/^\/apis?\//, "");
  if (path.split("/").length > 4 || !all.has(groupVersion)) return undefined;
  const resources = served
    .filter((item) => item.path === path)
    .flatMap(({ resource, kind }) => [
      {
        name: resource,
        singularName: kind.toLowerCase(),
        namespaced: true,
        kind,
        verbs: ["get", "list", "watch"],
      },
      ...(kind === "Deployment"
        ? [
            {
              name: `${resource}/scale`,
              namespaced: true,
              group: "autoscaling",
              version: "v1",
              kind: "Scale",
              verbs: ["get", "update"],
            },
          ]
        : []),
    ]);
  return { kind: "APIResourceList", groupVersion, resources };
}
