/** What a server inside the cluster needs: who calls, what they may, and the certificate to show them. */
export {
  type Authorization,
  type Authorizer,
  createAuthorizer,
  subjectOf,
} from "./serving/authorizer.ts";
export { createCertDir } from "./serving/cert-dir.ts";
export { createFilePoller, type FilePoller, type ReadText } from "./serving/file-poller.ts";
export { anonymousUser, type User, withAuthenticatedGroup } from "./serving/identity.ts";
export { accessReviewer, tokenReviewer } from "./serving/kube-reviews.ts";
export { createPathMatcher } from "./serving/path-matcher.ts";
export { generateServingCertificate } from "./serving/self-signed.ts";
export {
  createServingCertificate,
  type KeyPair,
  keyPair,
  type ServingMaterial,
  type SniFiles,
} from "./serving/serving-certificate.ts";
export { type CertificateStore, noStore, type StoredPair } from "./serving/stored-certificate.ts";
export { bearerToken, createTokenAuthenticator, type TokenAuthenticator } from "./serving/tokens.ts";
