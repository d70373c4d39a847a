import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../api/api-client.ts";

export type Diagnosis = Schemas["Diagnosis"];
export type ProfileActivity = Schemas["ProfileActivity"];
export type TimelineItem = Schemas["TimelineItem"];

/** Loads the reasons why a person's devices may be off the network. Changes to the person invalidate the query. */
export const userActivityQuery = (userID: string) =>
  queryOptions({
    queryKey: ["user", userID, "activity"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/user/{userID}/activity", { params: { path: { userID } }, signal })),
  });

/** Loads a profile's activity: its status checks, and the reason why its device may be off the network. */
export const profileActivityQuery = (serial: string) =>
  queryOptions({
    queryKey: ["profile", serial, "activity"],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/profiles/{serial}/activity", { params: { path: { serial } }, signal })),
  });
