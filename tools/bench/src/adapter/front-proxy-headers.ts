// What kube-apiserver sends to an aggregated API.

/** On behalf of the autoscaler's service account. */
export const headersOfHpas = {
  accept: "application/json, */*",
  "accept-encoding": "gzip",
  "user-agent": "kube-controller-manager/v1.35.0 (linux/amd64) kubernetes/0000000/horizontal-pod-autoscaler",
  "x-forwarded-for": "10.0.0.10",
  "x-forwarded-proto": "https",
  "x-remote-user": "system:serviceaccount:kube-system:horizontal-pod-autoscaler",
  "x-remote-uid": "5b2f2f1e-3e54-4f9f-9d8f-0d9d1e1f2a3b",
  "x-remote-group": ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
  "x-remote-extra-authentication.kubernetes.io%2fcredential-id": "JTI=0b4f7c52-6f0c-4a8e-9c77-3f9f5d1c2b6a",
};
