package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.Command;
import io.muster.sandbox.Helm;
import io.muster.sandbox.Layout;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What helm says at a real API server when the mode of an installation is changed. */
@BareSandbox
@ExtendWith(SandboxExtension.class)
final class ModeChangeIT {

  private static final String SERVICE = "muster-extender";
  private static final String REFUSAL = "mode: until now kube-scheduler asks Muster";

  /** Renders as an upgrade would, with a look at what is there. */
  private static Command.Result upgrade(Sandbox sandbox, TestSpace space, String mode) {
    var arguments =
        Stream.concat(
                ChartRendering.template(space.namespace(), List.of("mode=\"%s\"".formatted(mode)))
                    .stream(),
                Stream.of("--is-upgrade", "--dry-run=server"))
            .toList();
    return Helm.findOrBuild(Layout.current()).on(sandbox.state().kubeconfig()).run(arguments);
  }

  private static void create(Sandbox sandbox, TestSpace space, String... what) {
    sandbox.kubectl(
        Stream.concat(Stream.of("create", "-n", space.namespace()), Stream.of(what))
            .toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"affinity", "native"})
  void kubeSchedulerIsDisconnectedBeforeTheWayToMusterGoes(
      String mode, Sandbox sandbox, TestSpace space) {
    create(sandbox, space, "service", "clusterip", SERVICE, "--tcp=9443:9443");
    for (var stays : List.of("shared", "second")) {
      assertThat(upgrade(sandbox, space, stays).exitCode()).as(stays).isZero();
    }
    var refused = upgrade(sandbox, space, mode);
    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.output())
        .contains(
            REFUSAL, "kubectl -n %s delete service muster-extender".formatted(space.namespace()));

    sandbox.kubectl("delete", "service", SERVICE, "-n", space.namespace());
    assertThat(upgrade(sandbox, space, mode).output()).doesNotContain(REFUSAL);
  }

  /** It goes along. */
  @Test
  void theSecondSchedulerOfTheChartHoldsNothingUp(Sandbox sandbox, TestSpace space) {
    create(sandbox, space, "service", "clusterip", SERVICE, "--tcp=9443:9443");
    create(sandbox, space, "deployment", "muster-scheduler", "--image=s");
    assertThat(upgrade(sandbox, space, "affinity").exitCode()).isZero();
  }
}
