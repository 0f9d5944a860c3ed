package io.muster.deploy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigTest {

  private static final Path TABLE = Path.of("docs", "configuration.md");

  @TempDir private Path folder;

  private Optional<Path> file(String text) throws IOException {
    return Optional.of(Files.writeString(folder.resolve("muster.yaml"), text));
  }

  @Test
  void hasTheDefaultsOfTheArchitecture() {
    var config = Config.load(Optional.empty(), Map.of());
    assertThat(config.deadlines()).isEqualTo(Deadlines.DEFAULT);
    assertThat(config.port(Setting.EXTENDER_PORT)).isEqualTo(9443);
    assertThat(config.optional(Setting.KUBECONFIG)).isEmpty();
  }

  @Test
  void prefersTheEnvironmentToTheFile() throws IOException {
    var config =
        Config.load(
            file("namespace: from-file\nextenderPort: 1234\n"),
            Map.of("MUSTER_CFG_NAMESPACE", "from-environment", "MUSTER_HOST", "of a Service"));
    assertThat(config.text(Setting.NAMESPACE)).isEqualTo("from-environment");
    assertThat(config.port(Setting.EXTENDER_PORT)).isEqualTo(1234);
  }

  @Test
  void namesEveryProblemAtOnce() throws IOException {
    var file = file("extenderPort: 99999\npermitTimeoutSeconds: soon\nholdSecond: 3\n");
    assertThatThrownBy(() -> Config.load(file, Map.of("MUSTER_CFG_COLOUR", "red")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("extenderPort must be a port from 1 to 65535, not \"99999\"")
        .hasMessageContaining(
            "permitTimeoutSeconds must be whole seconds from 1 to 86400, not \"soon\"")
        .hasMessageContaining("holdSecond is not a setting; there are kubeconfig, namespace")
        .hasMessageContaining(
            "MUSTER_CFG_COLOUR is not a setting; there are MUSTER_CFG_KUBECONFIG, MUSTER_CFG_NAMES");
  }

  /** Conditions of the registration are made of them. */
  @ParameterizedTest
  @ValueSource(strings = {"", " , ", "default-scheduler muster-scheduler", "it's", "a,b\\"})
  void refusesSchedulersThatNameNone(String schedulers) {
    assertThatThrownBy(
            () -> Config.load(Optional.empty(), Map.of("MUSTER_CFG_SCHEDULERS", schedulers)))
        .hasMessage(
            "schedulers must be names of kube-schedulers, separated by commas, not \"%s\""
                .formatted(schedulers));
  }

  @Test
  void takesSchedulersWithSpacesBehindCommas() {
    var config =
        Config.load(
            Optional.empty(), Map.of("MUSTER_CFG_SCHEDULERS", "default-scheduler, 1_a/B.c"));

    assertThat(config.schedulers()).containsExactlyInAnyOrder("default-scheduler", "1_a/B.c");
  }

  @Test
  void refusesASettingThatStandsTwice() throws IOException {
    var file = file("repairTimeoutSeconds: 60\nnamespace: a\nrepairTimeoutSeconds: 90\n");

    assertThatThrownBy(() -> Config.load(file, Map.of()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("muster.yaml: line 3")
        .hasMessageContaining("'repairTimeoutSeconds'");
  }

  @Test
  void refusesSettingsOfASecondDocument() throws IOException {
    var file = file("---\nnamespace: a\n---\nlogFormat: text\n");

    assertThatThrownBy(() -> Config.load(file, Map.of()))
        .hasMessageContaining("muster.yaml has 2 documents: write all settings into one");
  }

  @Test
  void takesAFileOfCommentsAndOneThatEndsItsDocument() throws IOException {
    assertThat(Config.load(file("# none\n"), Map.of()).text(Setting.NAMESPACE))
        .isEqualTo("muster-system");
    assertThat(Config.load(file(""), Map.of()).text(Setting.NAMESPACE)).isEqualTo("muster-system");
    assertThat(Config.load(file("namespace: a\n---\n"), Map.of()).text(Setting.NAMESPACE))
        .isEqualTo("a");
  }

  @Test
  void refusesDeadlinesThatCannotWorkTogether() throws IOException {
    var file = file("permitTimeoutSeconds: 28\n");
    assertThatThrownBy(() -> Config.load(file, Map.of()))
        .hasMessageContaining("hold + burst + 5 s must not exceed httpTimeout (28 s + 5 s");
  }

  @Test
  void refusesALeaseThatNoBurstFitsInto() throws IOException {
    var file = file("leaseDurationSeconds: 9\n");
    assertThatThrownBy(() -> Config.load(file, Map.of()))
        .hasMessageContaining("leaseDurationSeconds must be at least twice bindTimeoutSeconds");
  }

  @Test
  void refusesALeaseThatNoBindingFitsInto() throws IOException {
    var file = file("leaseDurationSeconds: 7\nbindTimeoutSeconds: 2\n");
    assertThatThrownBy(() -> Config.load(file, Map.of()))
        .hasMessageContaining("leaseDurationSeconds must be at least 8");
  }

  /** Each would be found out by nothing, or long after the start. */
  @Test
  void refusesTextsThatNameNothing() throws IOException {
    var file =
        file(
            """
            jobKinds: etopertor, di
            serverNames: muster.example.com,*.example.com
            webhookUrl: http://muster.example.com
            advertiseAddress: node-1
            """);
    assertThatThrownBy(() -> Config.load(file, Map.of()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(
            "jobKinds must be some of etoperator,dlrover,di,paddle, not \"etopertor\"")
        .hasMessageContaining(
            "serverNames must be DNS names and IP addresses: '*.example.com' is not a DNS name")
        .hasMessageContaining(
            "webhookUrl must be like https://HOST:PORT, not \"http://muster.example.com\"")
        .hasMessageContaining("advertiseAddress must be an IP address, not \"node-1\"");
  }

  @Test
  void takesTextsThatNameSomething() throws IOException {
    var config =
        Config.load(
            file(
                """
                jobKinds: di, paddle
                serverNames: muster.example.com, 10.0.0.1, fd00::1
                webhookUrl: https://[fd00::1]:9444
                advertiseAddress: fd00::1
                """),
            Map.of());
    assertThat(config.texts(Setting.JOB_KINDS)).containsExactlyInAnyOrder("di", "paddle");
    // For whoever issues the certificates.
    var elsewhere = file("serverNames: '*.example.com'\ncertificateSecret: muster-tls\n");
    assertThat(Config.load(elsewhere, Map.of()).list(Setting.SERVER_NAMES)).hasSize(1);
  }

  @Test
  void takesNoAliasForItsName() throws IOException {
    var file = file("namespace: &name muster\nidentity: *name\n");
    assertThatThrownBy(() -> Config.load(file, Map.of()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("muster.yaml: line 2: an alias, *name: write out what it stands for");
  }

  @Test
  void saysWhichFileCannotBeRead() {
    var missing = Optional.of(folder.resolve("none.yaml"));
    assertThatThrownBy(() -> Config.load(missing, Map.of())).hasMessageContaining("none.yaml");
  }

  @Test
  void readsHowGangsArePlaced() throws IOException {
    var rules =
        Config.load(file("placementMode: affinity\nnodeAffinityAtRelease: never\n"), Map.of())
            .rules();
    assertThat(rules.placement()).isEqualTo(PlacementMode.AFFINITY);
    assertThat(rules.pins()).isEqualTo(NodePinPolicy.NEVER);
    assertThat(Config.load(Optional.empty(), Map.of()).rules())
        .isEqualTo(Rules.extender(NodePinPolicy.AUTO));
    assertThatThrownBy(() ->
            Config.load(file("placementMode: both\nnodeAffinityAtRelease: maybe\n"), Map.of()))
        .hasMessageContaining("placementMode must be extender or affinity or native, not \"both\"")
        .hasMessageContaining(
            "nodeAffinityAtRelease must be auto or always or never, not \"maybe\"");
  }

  @Test
  void assignsOnlyASchedulerThatAsksMuster() throws IOException {
    var config =
        Config.load(
            file("schedulers: muster-scheduler\nassignScheduler: muster-scheduler\n"), Map.of());
    assertThat(config.assignedScheduler()).contains("muster-scheduler");
    assertThat(config.schedulers()).containsExactly("muster-scheduler");
    assertThat(config.admittedSchedulers())
        .containsExactlyInAnyOrder("muster-scheduler", "default-scheduler");
    assertThatThrownBy(() -> Config.load(file("assignScheduler: batch\n"), Map.of()))
        .hasMessage("assignScheduler must be one of schedulers, not \"batch\"; add it there");
    assertThat(Config.load(file("schedulers: mine\n"), Map.of()).admittedSchedulers())
        .containsExactly("mine");
  }

  @Test
  void saysItsAddressAsTheDownwardApiDoesWhereNothingElseIsSet() throws IOException {
    var environment = Map.of("POD_IP", "10.1.2.3");
    assertThat(Config.load(Optional.empty(), environment).optional(Setting.ADVERTISE_ADDRESS))
        .contains("10.1.2.3");
    assertThat(
            Config.load(file("advertiseAddress: 10.9.9.9\n"), environment)
                .optional(Setting.ADVERTISE_ADDRESS))
        .contains("10.9.9.9");
    assertThat(Config.load(Optional.empty(), Map.of()).optional(Setting.ADVERTISE_ADDRESS))
        .isEmpty();
  }

  @Test
  void documentsEverySetting() throws IOException {
    var table =
        Arrays.stream(Setting.values())
            .map(s ->
                "| `%s` | `%s` | %s | %s |"
                    .formatted(
                        s.key(),
                        s.variable(),
                        s.fallback().isEmpty() ? "" : "`" + s.fallback() + "`",
                        s.meaning()))
            .collect(
                Collectors.joining(
                    "\n",
                    "# Settings of `muster serve`\n\n"
                        + "This page is for platform teams. You give settings in a YAML file"
                        + " (`--config FILE`) or in the environment; the\nenvironment wins. Unknown"
                        + " keys are errors.\n\n"
                        + "| key | variable | default | meaning |\n|---|---|---|---|\n",
                    "\n"));
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.createDirectories(TABLE.getParent());
      Files.writeString(TABLE, table);
    }
    assertThat(TABLE).content().isEqualTo(table);
  }
}
