// What a plan saves before it removes it, and which Deployments it takes for programs of Plimsoll.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { cluster, commandsOf, external, hpa, planned, program, wla } from "./release-rig.ts";

test("each plan saves to a folder of its own, by which each removal is taken back", async () => {
  const fake = cluster([wla("shop", { metrics: [external] }), program([])]);
  const crd = "workloadautoscalers.autoscaling.plimsoll.dev";
  fake.reply(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd}`, { metadata: { name: crd } });
  const { document } = await planned(fake);
  const folder = "plimsoll-before-20261122T100002Z";
  const labeled = "-l app.kubernetes.io/part-of=plimsoll";
  const kinds = "configmap,secret,serviceaccount,role,rolebinding,poddisruptionbudget,networkpolicy";
  expect(commandsOf(document, "Save what is there").flatMap((command) => command.split("\n"))).toEqual([
    `mkdir -m 700 ${folder}.part &&`,
    `kubectl get hpa -A -o yaml > ${folder}.part/horizontalpodautoscalers.yaml &&`,
    `kubectl get ${crd} -A -o yaml > ${folder}.part/workloadautoscalers.yaml &&`,
    `kubectl get crd ${crd} -o yaml > ${folder}.part/definitions.yaml &&`,
    `kubectl get deployment,service,${kinds},clusterrole,clusterrolebinding -A ${labeled} -o yaml > ${folder}.part/programs.yaml &&`,
    `mv ${folder}.part ${folder}`,
    `kubectl get ${kinds} -A ${labeled}`,
    `kubectl get clusterrole,clusterrolebinding ${labeled}`,
  ]);
  const undone = (title: string) => document.steps.find((step) => step.title === title)?.undo.commands;
  const created = (name: string) =>
    `sed '/^ *resourceVersion: "[0-9]*"$/d' ${folder}/${name}.yaml | kubectl create -f -`;
  expect(undone("Delete the WorkloadAutoscalers")).toEqual([created("workloadautoscalers")]);
  expect(undone("Remove the programs")).toEqual([created("programs")]);
  expect(undone("Remove the definitions")).toEqual([
    created("definitions"),
    `kubectl wait --for=condition=Established --timeout=60s crd/${crd}`,
  ]);
});

test.each([
  ["all", "true", true],
  ["one kind", '[ "$2" != crd ]', false],
])("the folder is there once %s could be saved", async (_what, succeeds, isThere) => {
  const fake = cluster([wla("shop", { metrics: [external] }), program([])]);
  const crd = "workloadautoscalers.autoscaling.plimsoll.dev";
  fake.reply(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd}`, { metadata: { name: crd } });
  const { document } = await planned(fake);
  const cwd = testFolder();
  const script = `kubectl() { echo "$@"; ${succeeds}; }\n${commandsOf(document, "Save what is there").join("\n")}\n`;
  // As it is pasted: what comes after a command that fails is carried out all the same.
  execFileSync("bash", ["--norc", "-c", script], { cwd, encoding: "utf8" });
  const folder = "plimsoll-before-20261122T100002Z";
  expect(readdirSync(cwd)).toEqual([isThere ? folder : `${folder}.part`]);
});

test("a workload with the labels of Plimsoll is not a program, and is named", async () => {
  const ours = program([]);
  const labels = ours.metadata.labels ?? {};
  const args = ["--manage-hpas=all", "--cron-hpa"];
  const theirs = {
    ...ours,
    metadata: { name: "shop", namespace: "default", labels },
    spec: { replicas: 3, template: { spec: { containers: [{ args }] } } },
  };
  const { document, titles } = await planned(cluster([ours, theirs, hpa("shop")]));
  expect(document.steps.flatMap(({ commands }) => commands).join("\n")).not.toContain("deployment/shop");
  expect(commandsOf(document, "Remove the programs").join("\n")).not.toContain("deployment shop");
  expect(titles).not.toContain("Switch the built-in controller on");
  expect(document.notes.join("\n")).toContain("Deployment default/shop has the labels of Plimsoll");
});

test("programs in several namespaces, and other adapters behind ours, are in a note", async () => {
  const ours = program([]);
  const other = { ...ours, metadata: { ...ours.metadata, namespace: "team" } };
  const adapter = {
    ...program(["--federation-config=/etc/backends.yaml"]),
    metadata: {
      name: "adapter",
      namespace: "plimsoll",
      labels: { ...ours.metadata.labels, "app.kubernetes.io/component": "metrics-adapter" },
    },
  };
  const { document } = await planned(cluster([ours, other, adapter]));
  const notes = document.notes.join("\n");
  expect(notes).toContain("several namespaces: plimsoll/plimsoll-autoscaler, team/plimsoll-autoscaler.");
  expect(notes).toContain("metrics-adapter hands requests on to other adapters");
});
