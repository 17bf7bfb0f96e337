/** authentication.k8s.io UserInfo, after authentication. */
export interface User {
  readonly name: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Who shows no credentials. */
export const anonymousUser: User = {
  name: "system:anonymous",
  uid: undefined,
  groups: ["system:unauthenticated"],
  extra: {},
};

const authenticatedGroup = "system:authenticated";

/** Every user but the anonymous one belongs to system:authenticated, however they were authenticated. */
export function withAuthenticatedGroup(user: User): User {
  if (user.name === anonymousUser.name || user.groups.includes(authenticatedGroup)) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}
