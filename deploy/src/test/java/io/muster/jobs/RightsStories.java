package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.muster.e2e.GangManifest;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Stories that make use of every right that Muster has for gangs and for each kind of jobs. */
final class RightsStories {

  private static final Duration SOON = Duration.ofSeconds(60);

  /** Rights of a kind that no request of its story shows, as patterns, and why. */
  static final Map<String, String> UNSEEN =
      Map.ofEntries(
          Map.entry("gangs: mark pods of muster.io", "the policies for members ask about it"),
          Map.entry("gangs: update secrets muster-.*", "at a renewal: CertificatesIT"),
          Map.entry(
              "gangs: update endpointslices of discovery.k8s.io muster-extender",
              "after a leader that was killed, by one of another address: LeaderChangeIT"),
          Map.entry(
              "gangs: (create configmaps|(get|update) configmaps muster-shadow)",
              "of namespaces in shadow: ShadowReportIT"),
          Map.entry(
              "gangs: ((get|create|delete) computedomains|get resourceclaimtemplates) of .*",
              "where a gang claims an NVLink domain: NvlinkDomainIT"),
          Map.entry(
              "gangs: (list|watch) (resourceclaimtemplates|devicetaintrules) of .*",
              "once a member claims by a template, ClaimsIT; where the rules are served, DeviceFeedTest"),
          Map.entry(
              "gangs: (get|create|patch|delete) podgroups of scheduling.k8s.io.*",
              "with placementMode native: NativePlacementIT"),
          Map.entry("gangs: patch gangs of muster.io", "when the terms of a gang change"),
          Map.entry("gangs: (get|patch) events", "when the same comes about again"),
          Map.entry(
              "etoperator: delete scaleins of kai.alibabacloud.com",
              "once a job has given workers back and grown again: EtOperatorAutoIT"),
          Map.entry("gangs: delete gangs of muster.io", "minutes after the last member has gone"),
          Map.entry(
              "gangs: (list|watch) (podgroups|workloads|jobsets|pytorchjobs|mpijobs|rayclusters"
                  + "|leaderworkersets) of .*",
              "read where the cluster serves them: DialectsIT"),
          Map.entry(
              ".*: update .*/finalizers of .*", "the admission of objects that jobs own asks it"),
          Map.entry(
              "di: create (priorityclasses|endpointslices) of .*",
              "an apply of what is not there asks it"),
          Map.entry("etoperator: create pods/exec", "given to launchers"),
          Map.entry("dlrover: patch scaleplans of .*", "given to masters"),
          Map.entry(
              "dlrover: (patch|delete) services",
              "patch is given to masters; both when a job takes over the Service of an earlier one"));

  private RightsStories() {}

  /** Gangs that wait, start, end for others and are lost; volumes, Jobs, a Service; a release. */
  static void ofGangs(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var high = space.priorityClass(1000);
    var older = GangManifest.of(space, "older", 2).annotated("muster.io/preemptible", "true");
    older.createJob();
    Await.until("the older to run", SOON, () -> older.running() == 2);
    var urgent = GangManifest.of(space, "urgent", 2).ofPriority(high);
    urgent.create();
    Await.until("the urgent to run", SOON, () -> urgent.running() == 2);
    urgent.delete();
    var mounting = GangManifest.of(space, "mounting", 1).pod("mounting-0");
    mounting
        .getSpec()
        .setVolumes(
            List.of(
                new VolumeBuilder()
                    .withName("data")
                    .withNewPersistentVolumeClaim()
                    .withClaimName("absent")
                    .endPersistentVolumeClaim()
                    .build()));
    space.client().resource(mounting).create();

    space.nodes(1, NodeShape.GPU8);
    kubectl(space, "label", "namespace", space.namespace(), "muster.io/infer-gangs=true");
    var owned =
        GangManifest.of(space, "owned", 2).without(GangManifest.NAME).without(GangManifest.MIN);
    var job = owned.job();
    job.getSpec().setCompletionMode("Indexed");
    space.client().resource(job).create();
    Await.until(
        "the gang of the Job",
        SOON,
        () -> kubectl(space, "get", "gangs", "-n", space.namespace()).contains("job-owned"));
    new DiJobs(space)
        .create(
            example("examples/training/torchrun-ddp.yaml")
                .replace("pool: ddp", TestSpace.SET_LABEL + ": " + space.namespace()));
    Await.until(
        "the Service of the gang",
        SOON,
        () -> !kubectl(space, "get", "services", "-o", "name", "-n", space.namespace()).isEmpty());

    release(space, "muster.io/released=true", false);
    release(space, "muster.io/released-", true);
  }

  private static void release(TestSpace space, String label, boolean isRegistered) {
    kubectl(space, "label", "namespace", "muster-system", label, "--overwrite");
    Await.until(
        "the registration to follow",
        SOON,
        () ->
            kubectl(space, "get", "mutatingwebhookconfigurations", "-o", "name").contains("/muster")
                == isRegistered);
  }

  /** A job that shrinks, grows and ends; others whose names are taken, that wait too long. */
  static void ofEtOperator(TestSpace space, Launchers launchers) {
    space.nodes(1, NodeShape.GPU8);
    var jobs = new TrainingJobs(space, launchers);
    jobs.scaleIn("early", "absent", "{count: 1}");
    taken(space, "foreign-launcher", "ServiceAccount");
    taken(space, "bound-launcher", "RoleBinding");
    jobs.create(jobs.manifest("foreign"));
    jobs.create(jobs.manifest("bound"));
    jobs.create(
        jobs.manifest("waits")
            .replace(
                "annotations: {}", "annotations: {job-supervisor.kube-ai.io/max-wait-time: \"2\"}")
            .replace("replicas: 2", "replicas: 9"));
    jobs.awaitPhase("waits", "Failed");
    var launcher = jobs.running("j");
    jobs.scaleIn("in", "j", "{count: 1}");
    jobs.awaitEnd("ScaleIn", "in", "ScaleSucceeded");
    jobs.scaleOut("out", "j", "toAdd: {count: 1}");
    jobs.awaitEnd("ScaleOut", "out", "ScaleSucceeded");
    kubectl(
        space,
        "scale",
        "-n",
        space.namespace(),
        "trainingjobs.kai.alibabacloud.com/j",
        "--replicas=3");
    awaitReplicas(jobs, 3);
    kubectl(
        space,
        "scale",
        "-n",
        space.namespace(),
        "trainingjobs.kai.alibabacloud.com/j",
        "--replicas=1");
    awaitReplicas(jobs, 1);
    space.nodes(1, NodeShape.GPU8);
    // By itself, three times: of the steps but for the last one nobody needs to know.
    jobs.create(
        jobs.manifest("auto")
            .replace("cleanPodPolicy: Running", "scalePolicy: Auto\n  autoScaleIntervalSeconds: 1")
            .replace("maxReplicas: 9", "maxReplicas: 5"));
    Await.until(
        "the job to have grown by itself",
        SOON,
        () -> jobs.phase("auto").equals("Running") && jobs.status("auto").replicas() == 5);
    Await.until("the taken names to be told", SOON, () -> !jobs.events("foreign").isEmpty());
    launcher.finish(0);
    jobs.awaitPhase("j", "Succeeded");
    jobs.create(
        jobs.manifest("short")
            .replace(
                "cleanPodPolicy: Running",
                "cleanPodPolicy: Running\n  ttlSecondsAfterFinished: 1"));
    jobs.awaitPhase("short", "Running");
    jobs.launcher("short").finish(0);
    Await.until("the job to be gone", SOON, () -> jobs.job("short").isEmpty());
  }

  private static void awaitReplicas(TrainingJobs jobs, int count) {
    Await.until(
        count + " workers", SOON, () -> Integer.valueOf(count).equals(jobs.status("j").replicas()));
  }

  /** Somebody has an object by a name that a job will need. */
  private static void taken(TestSpace space, String name, String kind) {
    var metadata = new ObjectMetaBuilder().withName(name).withNamespace(space.namespace()).build();
    HasMetadata object =
        switch (kind) {
          case "Role" -> new RoleBuilder().withMetadata(metadata).build();
          case "RoleBinding" ->
              new RoleBindingBuilder()
                  .withMetadata(metadata)
                  .withNewRoleRef("rbac.authorization.k8s.io", "Role", "any")
                  .build();
          default -> new ServiceAccountBuilder().withMetadata(metadata).build();
        };
    space.client().resource(object).create();
  }

  /** Jobs of both modes, and plans of users and of Muster. */
  static void ofDlrover(TestSpace space) {
    space.nodes(2, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    jobs.plan("early", "worker: {replicas: 6}");
    Await.until("the early plan to be told", SOON, () -> phaseOf(space, "early").equals("Pending"));
    kubectl(space, "delete", "scaleplan", "early", "-n", space.namespace());
    jobs.create(jobs.example("torch-mnist-gang", "upstream"));
    jobs.awaitPhase("upstream", "Running");

    jobs.create(
        ElasticJobs.builtin(jobs.example("torch-mnist-gang", "torch-mnist"))
            .replace("min-available: 4", "min-available: 2"));
    jobs.awaitRunning("torch-mnist", 4);
    jobs.plan("more", "worker: {replicas: 6}");
    jobs.awaitRunning("torch-mnist", 6);
    for (int i = 0; i < 8; i++) {
      jobs.create(
          jobs.planOf("torch-mnist-scaleplan-" + i, "worker: {replicas: 6}")
              .replace("scale-type: manual", "scale-type: auto"));
    }
    Await.until(
        "old plans to be gone",
        SOON,
        () ->
            jobs.kubectl("get", "scaleplans", "-l", "scale-type=auto", "-o", "name").lines().count()
                == 5);
    jobs.kubectl(
        "patch",
        "elasticjob",
        "torch-mnist",
        "--type=json",
        "-p",
        "[{\"op\":\"replace\",\"path\":\"/spec/replicaSpecs/worker/replicas\",\"value\":5}]");
    jobs.awaitRunning("torch-mnist", 5);
  }

  private static String phaseOf(TestSpace space, String plan) {
    return kubectl(
        space, "get", "scaleplan", plan, "-n", space.namespace(), "-o", "jsonpath={.status.phase}");
  }

  /** Jobs of both generations, whose sizes change, by calls of the server with a token. */
  static void ofDi(TestSpace space) {
    space.nodes(2, NodeShape.GPU8);
    var jobs = new DiJobs(space);
    jobs.aggregators();
    jobs.create(jobs.example("dijob-qbert.yaml"));
    jobs.create(jobs.example("job-with-tasks.yaml"));
    Await.until(
        "both to run",
        SOON,
        () -> jobs.running().contains("qbert-dqn-coordinator") && jobs.running().size() >= 4);
    var workers =
        "{\"namespace\":\"%s\",\"coordinator\":\"qbert-dqn-coordinator\",%s}"
            .formatted(
                space.namespace(),
                "\"learners\":{\"replicas\":1,\"gpus\":2},\"collectors\":{\"replicas\":1}");
    var tasks = "/v2alpha1/job/" + space.namespace() + ".job-with-tasks/";
    jobs.awaitPhase("job-with-tasks", "Running");
    call(space, "POST", "/v1alpha1/replicas", workers);
    call(space, "DELETE", "/v1alpha1/replicas", workers);
    call(space, "POST", tasks + "replicas", "{\"replicas\":1}");
    call(space, "POST", tasks + "profilings", "{\"data\":{\"fps\":100}}");
    call(space, "DELETE", tasks + "replicas", "{\"replicas\":1}");
    Await.until("the workers to go", SOON, () -> jobs.running().size() <= 5);
    Await.until(
        "the server to be found by its names",
        SOON,
        () -> slices(space, "di-system") == 1 && slices(space, "ding-system") == 1);
    jobs.end("qbert-dqn-coordinator", 0);
    jobs.awaitPhase("qbert-dqn", "Succeeded");
  }

  private static long slices(TestSpace space, String namespace) {
    return kubectl(space, "get", "endpointslices", "-n", namespace, "-o", "name").lines().count();
  }

  private static void call(TestSpace space, String method, String path, String body) {
    var token =
        kubectl(
            space,
            "create",
            "token",
            "default",
            "-n",
            space.namespace(),
            "--audience",
            "di-server");
    var url = space.sandbox().muster().orElseThrow().diUrl() + path;
    try (var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      var answer =
          client.send(
              HttpRequest.newBuilder(URI.create(url))
                  .timeout(SOON)
                  .header("Authorization", "Bearer " + token.strip())
                  .method(method, BodyPublishers.ofString(body))
                  .build(),
              BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** A job that grows and ends, and others whose names are taken. */
  static void ofPaddle(TestSpace space) {
    space.nodes(2, NodeShape.CPU);
    taken(space, "foreign-paddle", "ServiceAccount");
    taken(space, "role-paddle", "Role");
    taken(space, "bound-paddle", "RoleBinding");
    var jobs = new DiJobs(space);
    var manifest =
        example("examples/paddle-edl/examplejob.yaml")
            .replace(
                "  name: example\n",
                "  name: example\n  annotations: {muster.io/grace-seconds: \"1\"}\n")
            .replace(
                "spec:\n",
                "spec:\n  nodeSelector: {%s: %s}\n"
                    .formatted(TestSpace.SET_LABEL, space.namespace()));
    for (var name : List.of("example", "foreign", "role", "bound")) {
      jobs.create(manifest.replace("name: example\n", "name: " + name + "\n"));
    }
    Await.until("trainers to join", SOON, () -> jobs.running().size() > 5);
    for (var name : List.of("foreign", "role", "bound")) {
      Await.until("the taken name to be told", SOON, () -> !jobs.events(name).isEmpty());
    }
    jobs.kubectl("delete", "trainingjobs.paddlepaddle.org", "--all");
    Await.until("the pods to go", SOON, () -> jobs.pods().isEmpty());
  }

  private static String example(String file) {
    try {
      return Files.readString(Layout.current().deploy().resolveSibling(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String kubectl(TestSpace space, String... arguments) {
    return space.sandbox().kubectl(arguments);
  }
}
