import { List, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyBox } from "../../ui/value/copy-box.tsx";
import { Time } from "../../ui/value/time.tsx";
import type { SetupStep } from "./setup.ts";

/** Shows the facts behind a step's state. */
export function StepFacts({ step }: { step: SetupStep }) {
  const { t } = useTranslation();
  switch (step.step) {
    case "sign_in":
      return (
        <>
          {step.facts.provider !== null && <Fact name={t("setup.facts.provider")}>{step.facts.provider}</Fact>}
          {step.state !== "done" && (
            <>
              <Text size="sm" c="dimmed">
                {t("setup.facts.redirectURI")}
              </Text>
              <CopyBox text={step.facts.redirectURI} label={t("setup.facts.redirectURI")} />
            </>
          )}
        </>
      );
    case "domain":
      return <Fact name={t("setup.facts.domain")}>{step.facts.domain}</Fact>;
    case "wifi":
      return <Fact name={t("setup.facts.ssids")}>{step.facts.ssids.join(", ")}</Fact>;
    case "radius_certificate":
      return (
        <>
          <Fact name={t("setup.facts.radiusCN")}>{step.facts.radiusCN}</Fact>
          {step.facts.expirationTime !== null && (
            <Fact name={t("setup.facts.expirationTime")}>
              <Time at={step.facts.expirationTime} />
            </Fact>
          )}
        </>
      );
    case "radius_asks":
      return (
        <>
          <Askers askers={step.facts.servers} />
          {step.facts.others.length > 0 && (
            <Text size="sm" c="dimmed">
              {t("setup.facts.others")}:
            </Text>
          )}
          <Askers askers={step.facts.others} />
          {step.state === "warning" && step.facts.lastAt !== null && (
            <Fact name={t("setup.facts.lastAt")}>
              <Time at={step.facts.lastAt} relative />
            </Fact>
          )}
        </>
      );
    case "own_device":
      return (
        step.facts.checkedAt !== null && (
          <Fact name={t("setup.facts.checkedAt")}>
            <Time at={step.facts.checkedAt} relative />
          </Fact>
        )
      );
    case "people":
    case "second_administrator":
      return null;
  }
}

function Askers({ askers }: { askers: readonly { address: string; lastAt: string }[] }) {
  if (askers.length === 0) return null;
  return (
    <List size="sm" spacing={4}>
      {askers.map(({ address, lastAt }) => (
        <List.Item key={address} style={{ overflowWrap: "anywhere" }}>
          {address}: <Time at={lastAt} relative />
        </List.Item>
      ))}
    </List>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Text size="sm" style={{ overflowWrap: "anywhere" }}>
      <Text span inherit c="dimmed">
        {name}:
      </Text>{" "}
      {children}
    </Text>
  );
}
