import { ApiError } from "@plimsoll/kube";

export const conflict = () =>
  new ApiError({ code: 409, reason: "Conflict", message: "the object has been modified" });

export const office = [
  { name: "open", schedule: "0 0 9 * * *", targetSize: 8 },
  { name: "close", schedule: "0 0 18 * * *", targetSize: 2 },
];
