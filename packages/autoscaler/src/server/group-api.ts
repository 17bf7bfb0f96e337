// Discovery of the group under which kube-apiserver offers the decision API, where an APIService registers it.
import type { Express } from "express";
import { decisionResources } from "./required-access.ts";

const group = "explain.plimsoll.dev";
const version = { groupVersion: `${group}/v1`, version: "v1" };

const apiGroup = { name: group, versions: [version], preferredVersion: version };

const resource = (name: string, kind: string, verbs: readonly string[]) => ({
  name,
  singularName: "",
  namespaced: true,
  kind,
  verbs,
});

const resourceList = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: version.groupVersion,
  resources: [
    resource("summary", "SummaryRowList", ["list"]),
    resource("stream", "SummaryRowList", ["list"]),
    { ...resource("shadow", "ShadowSummary", ["list"]), namespaced: false },
    ...decisionResources.flatMap((name) => [
      resource(name, "LoggedDecisionList", ["get"]),
      resource(`${name}/record`, "DecisionRecord", ["get"]),
    ]),
  ],
};

/** Says nothing about objects, so it needs no identity. */
export function addGroup(app: Express): void {
  app.get("/apis", (_request, response) => {
    response.json({ kind: "APIGroupList", apiVersion: "v1", groups: [apiGroup] });
  });
  app.get(`/apis/${group}`, (_request, response) => {
    response.json({ kind: "APIGroup", apiVersion: "v1", ...apiGroup });
  });
  app.get(`/apis/${group}/v1`, (_request, response) => {
    response.json(resourceList);
  });
}
