import { Text } from "@mantine/core";
import { useQuery, type QueryClient } from "@tanstack/react-query";
import type { Schemas } from "../../api/api-client.ts";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../anchor-link.tsx";
import { Serial } from "./serial.tsx";

const deviceKey = (serial: string) => ["device", serial];

/** Caches the profiles in a list's response (`include=devices`). */
export function rememberDevices(queries: QueryClient, devices: Readonly<Record<string, Schemas["Device"]>> = {}): void {
  for (const [serial, device] of Object.entries(devices)) queries.setQueryData(deviceKey(serial), device);
}

/** Returns a profile that a list has named; undefined if it is unknown or this user may not read it. */
export const useKnownDevice = (serial: string): Schemas["Device"] | undefined =>
  useQuery<Schemas["Device"]>({ queryKey: deviceKey(serial), enabled: false }).data;

/** Links to a device, by the name that a list returned with it. */
export const KnownDeviceLink = ({ serial, inText = false }: Pick<DeviceLinkProps, "serial" | "inText">) => (
  <DeviceLink serial={serial} name={useKnownDevice(serial)?.name} inText={inText} />
);

/**
 * Returns the query parameter that adds to a list the names that the user may read; `guests`: guest accounts' names as
 * well.
 */
export function useIncludedNames({ guests = false }: { guests?: boolean } = {}): { include?: string } {
  const may = useMay();
  const names = [
    ...(may("users") ? ["people"] : []),
    ...(may("profiles") ? ["devices"] : []),
    ...(guests && may("guests") ? ["guests"] : []),
  ];
  return names.length === 0 ? {} : { include: names.join(",") };
}

interface DeviceLinkProps {
  serial: string;
  /** Null: unknown, or this user may not read it. */
  name: string | null | undefined;
  /** The details open beside the list of this page. Default: on the page of profiles. */
  here?: boolean;
  /** Shows the serial number below the name. */
  numbered?: boolean;
  /** The name is next to other words. */
  inText?: boolean;
}

/** A device's name, linked to its details; without a name, the end of its serial number. */
export function DeviceLink({ serial, name, here = false, numbered = false, inText = false }: DeviceLinkProps) {
  const isNamed = name !== null && name !== undefined && name !== "";
  const look = {
    inherit: true,
    className: "bounded",
    underline: inText ? "always" : "hover",
    title: isNamed ? `${name} · ${serial}` : serial,
  } as const;
  const text = isNamed ? name : <Serial serial={serial} short />;
  return (
    <>
      {here ? (
        <AnchorLink {...look} to="." search={(search) => ({ ...search, open: serial })} resetScroll={false}>
          {text}
        </AnchorLink>
      ) : (
        <AnchorLink {...look} to="/profiles" search={{ open: serial }}>
          {text}
        </AnchorLink>
      )}
      {numbered && isNamed && (
        <Text span size="sm" c="dimmed" display="block">
          <Serial serial={serial} />
        </Text>
      )}
    </>
  );
}
