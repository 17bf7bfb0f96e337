/** Who a request comes from, as every authenticator and authorizer sees it. */
export interface UserInfo {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export const anonymousUser: UserInfo = {
  username: "system:anonymous",
  uid: "",
  groups: ["system:unauthenticated"],
  extra: {},
};

/** Adds the group that every known user has. */
export function authenticatedUser(user: UserInfo): UserInfo {
  if (user.groups.includes("system:authenticated") || user.username === "system:anonymous") return user;
  return { ...user, groups: [...user.groups, "system:authenticated"] };
}
