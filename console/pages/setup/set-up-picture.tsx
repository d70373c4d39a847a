import { Anchor, Flex, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconCertificate, IconDeviceMobile, IconIdBadge2, IconRouter, IconServer } from "../../ui/icons.tsx";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { Picture } from "../../ui/picture/picture.tsx";
import { focusStep, useSetup, type Setup } from "./setup.ts";
import "./set-up-picture.css";

/** A device's path to the network. Each station is connected to the following one, and a step proves the connection. */
const stations = [
  { station: "device", icon: IconDeviceMobile, provedBy: "own_device" },
  { station: "accessPoint", icon: IconRouter, provedBy: "own_device" },
  { station: "radius", icon: IconServer, provedBy: "radius_asks" },
  { station: "realmpass", icon: IconCertificate, provedBy: "sign_in" },
  { station: "provider", icon: IconIdBadge2 },
] as const;

const connections = stations.slice(0, -1).flatMap((from, index) => {
  const to = stations[index + 1];
  return to === undefined || !("provedBy" in from) ? [] : [{ from: from.station, to: to.station, step: from.provedBy }];
});

/**
 * Shows how the realm's devices reach the network. A proven connection is green; a click on a connection focuses its
 * step.
 */
export function SetUpPicture() {
  const { t } = useTranslation();
  const title = t("pictures.setUp.title");
  const nameOf = ({ from, to }: (typeof connections)[number]): string =>
    `${t(`pictures.setUp.stations.${from}`)} – ${t(`pictures.setUp.stations.${to}`)}`;
  return (
    <Picture
      title={title}
      loaded={useSetup()}
      summary={({ steps }) =>
        t("pictures.setUp.summary", {
          proven: connections.filter(({ step }) => stateOf(steps, step) === "done").length,
          all: connections.length,
        })
      }
      chart={({ steps }) => (
        <Flex component="ol" className="stations" direction={{ base: "column", md: "row" }} aria-label={title}>
          {stations.map(({ station, icon: Icon }, index) => {
            const connection = connections[index];
            return (
              <Fragment key={station}>
                <Stack component="li" align="center" gap={4}>
                  <Icon size={28} aria-hidden />
                  <Text size="sm" ta="center">
                    {t(`pictures.setUp.stations.${station}`)}
                  </Text>
                </Stack>
                {connection !== undefined && (
                  <li className={`connection connection-${stateOf(steps, connection.step)}`}>
                    <Anchor
                      component="button"
                      type="button"
                      size="sm"
                      underline="always"
                      onClick={() => {
                        focusStep(connection.step);
                      }}
                    >
                      <VisuallyHidden>{nameOf(connection)}: </VisuallyHidden>
                      {t(`status.${stateOf(steps, connection.step)}`)}
                    </Anchor>
                  </li>
                )}
              </Fragment>
            );
          })}
        </Flex>
      )}
      table={({ steps }) => ({
        columns: (["connection", "proof", "status"] as const).map((column) => t(`pictures.setUp.columns.${column}`)),
        rows: connections.map((connection) => ({
          key: connection.from,
          cells: [
            nameOf(connection),
            t(`setup.steps.${connection.step}.title`),
            t(`status.${stateOf(steps, connection.step)}`),
          ],
        })),
      })}
    />
  );
}

const stateOf = (steps: Setup["steps"], wanted: (typeof connections)[number]["step"]) =>
  steps.find(({ step }) => step === wanted)?.state ?? "todo";
