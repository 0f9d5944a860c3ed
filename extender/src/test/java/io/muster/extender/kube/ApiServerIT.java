package io.muster.extender.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Recogniser;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangRecord.Place;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.kube.gang.Gangs;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The writes against a real apiserver, with no more rights than deploy/rbac grants: {@code
 * -Dtest=ApiServerIT -Dmuster.kubeconfig=<admin's>}. Needs a cluster with one node at least.
 */
@EnabledIfSystemProperty(named = "muster.kubeconfig", matches = ".+")
final class ApiServerIT {

  private static final InstantSource CLOCK = InstantSource.system();

  private final Config config =
      Config.fromKubeconfig(new File(System.getProperty("muster.kubeconfig")));
  private final KubernetesClient admin = new KubernetesClientBuilder().withConfig(config).build();
  private final KubernetesClient muster =
      new KubernetesClientBuilder()
          .withConfig(
              new ConfigBuilder(config)
                  .withImpersonateUsername("system:serviceaccount:muster-system:muster")
                  .withImpersonateGroups("system:authenticated")
                  .build())
          .build();
  private final List<String> counted = new CopyOnWriteArrayList<>();
  private final BlockingQueue<Event> answers = new LinkedBlockingQueue<>();
  private final GangDirectory directory = new GangDirectory();
  private final String space = "it-" + Long.toString(CLOCK.millis(), 36);
  private final ClusterWrites writes =
      new ClusterWrites(
          muster,
          directory,
          ClusterWrites.Settings.DEFAULT,
          new ClusterWrites.Surroundings(
              Executors.newVirtualThreadPerTaskExecutor(),
              (delay, work) ->
                  Thread.startVirtualThread(() -> {
                    try {
                      TimeUnit.NANOSECONDS.sleep(delay.toNanos());
                    } catch (InterruptedException _) {
                      Thread.currentThread().interrupt();
                    }
                    work.run();
                  }),
              CLOCK,
              (kind, outcome) -> counted.add(kind + " " + outcome)));

  @BeforeEach
  void install() throws IOException {
    for (var file : List.of("../deploy/crds/gangs.muster.io-v1.yml", "../deploy/rbac/muster.yml")) {
      try (var manifest = Files.newInputStream(Path.of(file))) {
        admin.load(manifest).items().forEach(this::apply);
      }
    }
    admin
        .resource(
            "{\"kind\": \"Namespace\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \""
                + space
                + "\"}}")
        .create();
    await()
        .ignoreExceptions()
        .until(() -> admin.resources(Gang.class).inNamespace(space).list().getItems().isEmpty());
    await()
        .ignoreExceptions()
        .until(() -> admin.serviceAccounts().inNamespace(space).withName("default").get() != null);
  }

  @AfterEach
  void clean() {
    admin.namespaces().withName(space).delete();
    admin.close();
    muster.close();
  }

  private void apply(HasMetadata object) {
    admin.resource(object).forceConflicts().serverSideApply();
  }

  @Test
  void bindsOnceAndTellsTheRestApart() {
    var node = admin.nodes().list().getItems().getFirst().getMetadata().getName();
    var pod = key(create("w-0"));

    assertThat(bind(pod, node)).isEqualTo(new BindingOutcome.Bound());
    assertThat(bind(pod, node)).isEqualTo(new BindingOutcome.Bound());
    assertThat(bind(pod, "elsewhere")).isInstanceOf(BindingOutcome.Lost.class);
    assertThat(bind(key(create("gated", "theirs")), node))
        .isInstanceOf(BindingOutcome.Failed.class);
    var other = key(create("other"));
    assertThat(bind(new PodKey(space, "other", "no-such-uid"), node))
        .isInstanceOf(BindingOutcome.Lost.class);
    assertThat(bind(new PodKey(space, "none", other.uid()), node))
        .isInstanceOf(BindingOutcome.Lost.class);

    var bound = read(pod);
    assertThat(bound.getSpec().getNodeName()).isEqualTo(node);
    assertThat(bound.getMetadata().getAnnotations())
        .containsEntry("muster.io/gang-incarnation", "3");
  }

  @Test
  void writesToPodsTouchOnlyWhatTheyMean() {
    var pod = key(create("w-0", "theirs", "muster.io/gang"));
    var namesake = new PodKey(space, "w-0", "no-such-uid");
    var explain = new Effect.Explain(pod, "muster: no room for 2 members", true);

    run(
        new Effect.Ungate(namesake),
        new Effect.Wake(namesake, 1),
        new Effect.Wake(pod, 7),
        explain,
        explain,
        new Effect.Ungate(pod));
    await().until(() -> counted.size() == 8);

    assertThat(counted)
        .containsExactlyInAnyOrder(
            "UNGATE NEEDLESS",
            "WAKE NEEDLESS",
            "WAKE DONE",
            "EXPLAIN DONE",
            "EXPLAIN DONE",
            "EXPLAIN DONE",
            "EXPLAIN DONE",
            "UNGATE DONE");
    var seen = read(pod);
    assertThat(seen.getSpec().getSchedulingGates())
        .extracting(PodSchedulingGate::getName)
        .containsExactly("theirs");
    assertThat(seen.getMetadata().getAnnotations()).containsEntry("muster.io/wake", "7");
    assertThat(seen.getStatus().getConditions())
        .filteredOn(condition -> condition.getType().equals("PodScheduled"))
        .singleElement()
        .satisfies(condition -> {
          assertThat(condition.getReason()).isEqualTo("Unschedulable");
          assertThat(condition.getMessage()).isEqualTo("muster: no room for 2 members");
        });
    assertThat(admin.v1().events().inNamespace(space).list().getItems())
        .filteredOn(event -> "muster".equals(event.getSource().getComponent()))
        .singleElement()
        .satisfies(event -> assertThat(event.getCount()).isEqualTo(2));
  }

  @Test
  void evictsWithDisruptionTarget() {
    var pod = key(create("w-0"));

    run(new Effect.Evict(pod, "the gang is undone"));
    await().until(() -> !counted.isEmpty());

    assertThat(counted).containsExactly("EVICT DONE");
    await().until(() -> admin.pods().inNamespace(space).withName("w-0").get() == null);
  }

  @Test
  void recordsSurviveAndAreFedBack() throws InterruptedException {
    var first = gang(Phase.BINDING, 1, Map.of("u0", new Place("w-0", "n1")));
    var second = gang(Phase.RUNNING, 2, Map.of("u1", new Place("w-1", "n2")));

    run(new Effect.WriteRecord(first, Gangs.report(Phase.BINDING, "1 of 2 members are bound")));
    run(new Effect.WriteRecord(second, Gangs.report(Phase.RUNNING, "2 of 2 members are bound")));
    assertThat(answers.poll(5, TimeUnit.SECONDS))
        .isEqualTo(new Event.RecordWritten(first.gang(), 1, true));
    assertThat(answers.poll(5, TimeUnit.SECONDS))
        .isEqualTo(new Event.RecordWritten(first.gang(), 2, true));

    var told = new CopyOnWriteArrayList<Event>();
    var translation = new Translation(new Recogniser());
    try (var feed =
        new ClusterFeed(
            muster,
            new ClusterFeed.Readers(translation::node, translation::pod),
            new GangDirectory(),
            told::add)) {
      feed.start();
      await().until(() -> told.contains(new Event.Ready()));
    }
    assertThat(told).contains(new Event.RecordFound(second));

    admin
        .resources(Gang.class)
        .inNamespace(space)
        .withName("train")
        .edit(gang -> {
          gang.getMetadata().setLabels(Map.of("touched", "by-a-user"));
          return gang;
        });
    run(new Effect.WriteReport(second, Gangs.report(Phase.RUNNING, "all is well")));
    await().until(() -> stored().getStatus().message().equals("all is well"));
    assertThat(stored().getMetadata().getLabels()).containsEntry("touched", "by-a-user");
    run(new Effect.Announce(second.gang(), false, "Satisfied", "2 of 2 members are bound"));
    run(new Effect.Forget(second.gang()));
    await().until(() -> stored() == null);
    assertThat(counted).contains("ANNOUNCE DONE", "FORGET DONE").doesNotContain("REPORT FAILED");
  }

  @Test
  void bindsManyAtOnce() throws InterruptedException {
    var node = admin.nodes().list().getItems().getFirst().getMetadata().getName();
    var pods = IntStream.range(0, 100).mapToObj(i -> key(create("m-" + i))).toList();

    writes.run(
        pods.stream()
            .<Effect>map(
                pod -> new Effect.Bind(new GangId(Dialect.MUSTER, space, "train"), pod, node, 1))
            .toList(),
        answers::add);
    for (int i = 0; i < pods.size(); i++) {
      assertThat(((Event.BindingEnded) answers.poll(10, TimeUnit.SECONDS)).outcome())
          .isEqualTo(new BindingOutcome.Bound());
    }
  }

  private Gang stored() {
    return admin.resources(Gang.class).inNamespace(space).withName("train").get();
  }

  private GangRecord gang(Phase phase, long epoch, Map<String, Place> placement) {
    return new GangRecord(
        new GangId(Dialect.KOORDINATOR, space, "train"),
        1,
        epoch,
        phase,
        2,
        false,
        placement,
        Optional.empty());
  }

  private void run(Effect... effects) {
    writes.run(List.of(effects), answers::add);
  }

  private BindingOutcome bind(PodKey pod, String node) {
    run(new Effect.Bind(new GangId(Dialect.MUSTER, space, "train"), pod, node, 3));
    try {
      return ((Event.BindingEnded) answers.poll(10, TimeUnit.SECONDS)).outcome();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private Pod read(PodKey pod) {
    return admin.pods().inNamespace(space).withName(pod.name()).get();
  }

  private static PodKey key(Pod pod) {
    var metadata = pod.getMetadata();
    return new PodKey(metadata.getNamespace(), metadata.getName(), metadata.getUid());
  }

  private Pod create(String name, String... gates) {
    return admin
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(space)
                .endMetadata()
                .withNewSpec()
                .withSchedulerName("nobody")
                .withSchedulingGates(Arrays.stream(gates).map(PodSchedulingGate::new).toList())
                .addNewContainer()
                .withName("c")
                .withImage("none")
                .endContainer()
                .endSpec()
                .build())
        .create();
  }
}
