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

/** Returns a profile from a list's response; undefined if no list has contained it or this user may not read it. */
export const useKnownDevice = (serial: string): Schemas["Device"] | undefined =>
  useQuery<Schemas["Device"]>({ queryKey: deviceKey(serial), enabled: false }).data;

/** Links to a device, by the name that the API returned with a list. */
export const KnownDeviceLink = ({ serial, inText = false }: Pick<DeviceLinkProps, "serial" | "inText">) => (
  <DeviceLink serial={serial} name={useKnownDevice(serial)?.name} inText={inText} />
);

/**
 * Returns the query parameter that makes the API add the names that the user may read to a list. `guests` also adds the
 * names of guest accounts.
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
  /** Null if the name is unknown or this user may not read it. */
  name: string | null | undefined;
  /** Opens the details next to the list on this page. Default: on the page of profiles. */
  here?: boolean;
  /** Shows the serial number below the name. */
  numbered?: boolean;
  /** The name is in running text. */
  inText?: boolean;
}

/** Links a device's name to its details; without a name, shows the end of its serial number. */
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
