package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.install.InstallFiles;
import io.muster.kit.Launchers;
import io.muster.sandbox.AuditLog.Request;
import io.muster.sandbox.GrantedRight;
import io.muster.sandbox.Layout;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.Program;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.SandboxOptions.Audited;
import io.muster.sandbox.StateDirectory;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Muster needs what {@code deploy/rbac} grants, and asks for no more: the API server's audit log of
 * a story of each kind of jobs, told by a Muster that runs that kind alone with the rights for that
 * kind alone. In a sandbox of its own.
 */
@Tag("long")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class UsedRightsIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  private static Optional<Sandbox> started = Optional.empty();
  private static Optional<Launchers> watching = Optional.empty();

  @BeforeAll
  static void start() {
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox/rights"));
    started =
        Optional.of(
            Sandbox.start(
                layout,
                SandboxOptions.bare(state)
                    .auditing(Audited.READS_TOO)
                    .scripting()
                    .extraFlags(
                        Program.APISERVER,
                        "--enable-admission-plugins=OwnerReferencesPermissionEnforcement")));
    watching = started.map(Launchers::watching);
  }

  @AfterAll
  static void stop() {
    watching.ifPresent(Launchers::close);
    started.ifPresent(Sandbox::close);
  }

  @Order(1)
  @Test
  void gangsNeedNoRightOfAnyKindOfJobs() {
    told("", Map.of(), RightsStories::ofGangs);
  }

  @Order(2)
  @Test
  void etOperatorsJobs() {
    told(
        "etoperator", Map.of(), space -> RightsStories.ofEtOperator(space, watching.orElseThrow()));
  }

  @Order(2)
  @Test
  void dlroversJobs() {
    told("dlrover", Map.of(), RightsStories::ofDlrover);
  }

  @Order(2)
  @Test
  void diEnginesJobs() {
    told("di", Map.of("diServerAccess", "pods"), RightsStories::ofDi);
  }

  @Order(2)
  @Test
  void paddlesJobs() {
    told("paddle", Map.of(), RightsStories::ofPaddle);
  }

  /** Each story makes use of some, and the first start of all of others. */
  @Order(3)
  @Test
  void theRightsForGangsAreAllUsed() {
    assertUsed("gangs", GrantedRight.forGangs(), started.orElseThrow().auditLog().requests(0));
  }

  /**
   * Has Muster run with the rights for a kind of jobs and no other, and looks at what it asked for.
   *
   * @param kind empty for none
   */
  private static void told(String kind, Map<String, Object> settings, Consumer<TestSpace> story) {
    var sandbox = started.orElseThrow();
    var keys = new HashMap<>(settings);
    keys.put("jobKinds", kind);
    var muster = sandbox.prepareMuster(MusterOptions.DEFAULT.configured(keys));
    InstallFiles.JOBS.keySet().stream()
        .filter(other -> !other.equals(kind))
        .flatMap(other -> InstallFiles.rightsForJobs(other).stream())
        .filter(object -> object.getKind().endsWith("Binding"))
        .forEach(object -> sandbox.client().resource(object).delete());
    long mark = sandbox.auditLog().mark();
    muster.start();
    sandbox.scheduler().start(Optional.of(sandbox.extender()));
    try (var space = TestSpace.open(sandbox, "rights-" + kind)) {
      story.accept(space);
    } finally {
      muster.terminate(SOON);
      // Says more than that the story has come to no end.
      assertThat(sandbox.auditLog().requests(mark).stream().filter(Request::isForbidden).distinct())
          .as("refused for want of a right")
          .isEmpty();
    }
    if (!kind.isEmpty()) {
      // What is granted for gangs needs no right of a kind.
      var ofGangs = GrantedRight.forGangs();
      var more =
          new LinkedHashSet<>(sandbox.auditLog().requests(mark))
              .stream()
                  .filter(request -> ofGangs.stream().noneMatch(right -> right.covers(request)))
                  .toList();
      assertUsed(kind, GrantedRight.forJobs(kind), more);
    }
  }

  private static void assertUsed(
      String kind, List<GrantedRight> granted, Collection<Request> asked) {
    var unused =
        granted.stream()
            .filter(right -> asked.stream().noneMatch(right::covers))
            .map(right -> kind + ": " + right)
            .filter(right -> RightsStories.UNSEEN.keySet().stream().noneMatch(right::matches))
            .toList();
    assertThat(unused).as("granted, and not asked for").isEmpty();
  }
}
