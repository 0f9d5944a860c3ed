package io.muster.deploy.release;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;

/** A cluster with Muster in the namespace {@code muster-system}, and commands run against it. */
final class Scene implements AutoCloseable {

  static final String OWN = "/api/v1/namespaces/muster-system";
  static final String TENANT = "/api/v1/namespaces/team-a";
  static final String LEASE = "/apis/coordination.k8s.io/v1/namespaces/muster-system/leases";
  static final String BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
  static final String REGISTRATIONS =
      "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

  private static final ZonedDateTime RENEWED = ZonedDateTime.parse("2026-11-27T23:00:00Z");

  final FakeApi api = new FakeApi();
  private final Path folder;

  /** How a run ended. */
  record Run(int code, String out, String err) {}

  Scene(Path folder) throws IOException {
    this.folder = folder;
    namespace("muster-system");
    namespace("team-a");
    account();
    lease("muster-1");
    api.with(
        BINDINGS,
        new ClusterRoleBindingBuilder()
            .withMetadata(named("muster"))
            .addNewSubject("", "ServiceAccount", "muster", "muster-system")
            .build());
    api.with(
        TENANT + "/persistentvolumeclaims",
        new PersistentVolumeClaimBuilder().withMetadata(named("datasets")).build());
    api.with(TENANT + "/secrets", secret("muster-scheduler-client", Map.of()));
  }

  void namespace(String name) {
    api.with("/api/v1/namespaces", new NamespaceBuilder().withMetadata(named(name)).build());
    var root = new ConfigMapBuilder().withMetadata(named("kube-root-ca.crt")).build();
    api.with("/api/v1/namespaces/" + name + "/configmaps", root);
  }

  private void account() {
    var account = new ServiceAccountBuilder().withMetadata(named("muster")).build();
    account.getMetadata().setNamespace("muster-system");
    api.with(OWN + "/serviceaccounts", account);
  }

  /** Held by that process, or given back by the last one. */
  void lease(String holder) {
    renewed(holder, RENEWED);
  }

  void renewed(String holder, ZonedDateTime at) {
    var lease = new LeaseBuilder().withMetadata(named("muster")).withNewSpec();
    var spec = lease.withRenewTime(at).withLeaseDurationSeconds(2);
    if (!holder.isEmpty()) {
      spec.withHolderIdentity(holder);
    }
    var built = spec.endSpec().build();
    built.getMetadata().setNamespace("muster-system");
    api.with(LEASE, built);
  }

  /** As a running Muster writes it. */
  void registered() {
    api.with(
        REGISTRATIONS,
        new MutatingWebhookConfigurationBuilder()
            .withMetadata(named("muster"))
            .addNewWebhook()
            .withName("gangs.muster.io")
            .withNewClientConfig()
            .withNewService("muster-webhook", "muster-system", "/", 443)
            .endClientConfig()
            .endWebhook()
            .build());
  }

  static Secret secret(String name, Map<String, String> labels) {
    var secret = new SecretBuilder().withMetadata(named(name)).build();
    secret.getMetadata().setLabels(labels);
    return secret;
  }

  /** A member that is held back. */
  void gated(String name) {
    pod(
        new PodBuilder()
            .withMetadata(named(name))
            .withNewSpec()
            .addNewSchedulingGate("muster.io/gang")
            .endSpec()
            .withNewStatus()
            .withPhase("Pending")
            .endStatus()
            .build());
  }

  /** By which members of a gang would find each other. */
  void service(String name) {
    var service =
        new ServiceBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace("team-a")
            .addToLabels("app.kubernetes.io/managed-by", "muster")
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .build();
    api.with(TENANT + "/services", service);
  }

  /** A pod that waits and asks for the marker. */
  void marked(String name) {
    pod(
        new PodBuilder()
            .withMetadata(named(name))
            .withNewSpec()
            .addNewContainer()
            .withName("c")
            .withNewResources()
            .addToRequests("muster.io/gang-member", new Quantity("1"))
            .endResources()
            .endContainer()
            .endSpec()
            .withNewStatus()
            .withPhase("Pending")
            .endStatus()
            .build());
  }

  private void pod(Pod pod) {
    pod.getMetadata().setNamespace("team-a");
    pod.getMetadata().setUid("u-" + pod.getMetadata().getName());
    api.with(TENANT + "/pods", pod);
  }

  void node(String name) {
    api.with(
        "/api/v1/nodes",
        new NodeBuilder()
            .withMetadata(named(name))
            .withNewStatus()
            .addToCapacity("cpu", new Quantity("8"))
            .endStatus()
            .build());
  }

  /** The Deployment as the chart has it, without a pod. */
  void deployment() {
    api.with(
        "/apis/apps/v1/namespaces/muster-system/deployments",
        new DeploymentBuilder()
            .withMetadata(named("muster"))
            .withNewSpec()
            .withNewSelector()
            .addToMatchLabels("app", "muster")
            .endSelector()
            .endSpec()
            .build());
  }

  /** One that the Deployment chooses, and that stays. */
  void podOfTheDeployment() {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("muster-1")
            .addToLabels("app", "muster")
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .withNewStatus()
            .withPhase("Running")
            .endStatus()
            .build();
    api.with(OWN + "/pods", pod);
  }

  static ObjectMeta named(String name) {
    return new ObjectMetaBuilder().withName(name).build();
  }

  boolean isMarked() {
    return api.object(OWN).path("metadata").path("labels").has("muster.io/released");
  }

  Run run(Object command, String... arguments) throws IOException {
    var out = new StringWriter();
    var err = new StringWriter();
    var line =
        Stream.concat(Stream.of(arguments), Stream.of("--kubeconfig", api.kubeconfig(folder)));
    int code =
        new CommandLine(command)
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(line.toArray(String[]::new));
    return new Run(code, out.toString(), err.toString());
  }

  @Override
  public void close() {
    api.close();
  }
}
