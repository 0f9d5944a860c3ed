package io.muster.deploy.config;

import io.muster.certs.Certificates;
import io.muster.extender.core.protocol.NodePinPolicy;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Every setting of {@code muster serve}: its key in the YAML file, its default, its meaning. */
public enum Setting {
  KUBECONFIG("kubeconfig", Kind.TEXT, "", "path of a kubeconfig; empty: the pod's service account"),
  NAMESPACE("namespace", Kind.TEXT, "muster-system", "namespace of Muster and its Secrets"),
  BIND_ADDRESS("bindAddress", Kind.TEXT, "0.0.0.0", "address to listen on"),
  EXTENDER_PORT(
      "extenderPort", Kind.PORT, "9443", "port for kube-scheduler, TLS with a client certificate"),
  WEBHOOK_PORT("webhookPort", Kind.PORT, "9444", "port for the API server's admission calls, TLS"),
  HEALTH_PORT("healthPort", Kind.PORT, "9445", "port for /livez, /readyz and /metrics, plain HTTP"),
  WEBHOOK_URL(
      "webhookUrl",
      Kind.TEXT,
      "",
      "URL at which the API server reaches the webhook; empty: the Service muster-webhook"),
  SERVER_NAMES(
      "serverNames",
      Kind.TEXT,
      "",
      "further DNS names and IPs for the serving certificate, separated by commas"),
  CERTIFICATE_SECRET(
      "certificateSecret",
      Kind.TEXT,
      "",
      "Secret with tls.crt, tls.key and ca.crt from another issuer, never written; empty: Muster's own CA"),
  SCHEDULER_CLIENT_SECRET(
      "schedulerClientSecret",
      Kind.TEXT,
      "",
      "Secret whose ca.crt verifies kube-scheduler, never written; empty: certificateSecret"),
  SCHEDULER_CLIENT_NAMES(
      "schedulerClientNames",
      Kind.TEXT,
      Certificates.SCHEDULER_CLIENT_NAME,
      "common names of certificates that may call the extender, separated by commas; empty: any"),
  CERTIFICATE_CHECK(
      "certificateCheckSeconds",
      Kind.SECONDS,
      "30",
      "how often certificates are checked; each step of a CA rotation takes two checks"),
  IDENTITY(
      "identity",
      Kind.TEXT,
      "",
      "holder name in the leader lease; empty: the host name, which in a cluster is the pod's name"),
  EVENT_SOURCE("eventSource", Kind.TEXT, "muster", "source component of Muster's Events"),
  LOG_FORMAT("logFormat", Kind.LOG_FORMAT, "json", "json or text"),
  SCHEDULERS(
      "schedulers",
      Kind.TEXT,
      "default-scheduler,muster-scheduler",
      "schedulerNames of the kube-schedulers that call Muster, separated by commas; Muster ignores pods of others"),
  ASSIGN_SCHEDULER(
      "assignScheduler",
      Kind.TEXT,
      "",
      "schedulerName that pods with accelerators and members of gangs get where they name none or default-scheduler; one of schedulers; empty: they keep theirs"),
  DEFAULT_ENROLMENT(
      "defaultEnrolment",
      Kind.ENROLMENT,
      "gang",
      "how namespaces without the label muster.io/enrol are enrolled: gang, all or shadow"),
  LEADER_ENDPOINT(
      "leaderEndpoint",
      Kind.SWITCH,
      "true",
      "whether the leader keeps the EndpointSlice of the Service muster-extender, with advertiseAddress and extenderPort"),
  OWNER_CLUSTER_ROLE(
      "ownerClusterRole",
      Kind.TEXT,
      "muster",
      "ClusterRole that came with the installation: when it is deleted, garbage collection deletes what Muster has registered by itself"),
  JOB_KINDS(
      "jobKinds",
      Kind.TEXT,
      "etoperator,dlrover,di,paddle",
      "job kinds to run once their CRDs are installed, separated by commas: etoperator, dlrover, di (DI-orchestrator), paddle (PaddlePaddle EDL); empty: none"),
  OPERATOR_NAMESPACES(
      "operatorNamespaces",
      Kind.TEXT,
      "",
      "namespaces in which a Deployment or lease of another controller of a job kind has Muster leave that kind alone, separated by commas; empty: all"),
  DI_SERVER_URL(
      "diServerUrl",
      Kind.TEXT,
      "http://di-server.di-system.svc.cluster.local:8081",
      "URL of the DI server that pods of DIJobs with tasks get"),
  DI_FIRST_SERVER_URL(
      "diFirstServerUrl",
      Kind.TEXT,
      "http://di-server.di-system:8080",
      "the same for DIJobs with a coordinator"),
  DI_PORT(
      "diPort",
      Kind.PORT_OR_NONE,
      "8091",
      "port of the DI server, plain HTTP, in every process; 0: none"),
  DI_ACCESS(
      "diServerAccess",
      Kind.DI_ACCESS,
      "pods",
      "who may call the DI server: pods (the job's own pods and those of di-system by address, others with a token) or open (everybody)"),
  DI_HOLD(
      "diHoldSeconds",
      Kind.SECONDS_OR_NONE,
      "0",
      "how long a call for workers may wait for capacity before it fails; 0: until they run"),
  DI_NEVER_FITS(
      "diNeverFits",
      Kind.DI_NEVER_FITS,
      "refuse",
      "what happens to a call for workers that fit on no node even if it were empty: refuse (it fails at once) or hold (it waits, for clusters that add nodes on demand)"),
  DI_SPLIT(
      "diGpuSplit",
      Kind.DI_SPLIT,
      "fit",
      "how the GPUs of a learner are split over pods: fit (so that all can start now, if possible) or simple (as many in each pod as most nodes have)"),
  DI_SERVICES(
      "diServices",
      Kind.SWITCH,
      "true",
      "whether Muster maintains the Services di-server.di-system and ding-server.ding-system with this process as an endpoint"),
  ADVERTISE_ADDRESS(
      "advertiseAddress",
      Kind.TEXT,
      "",
      "IP address at which pods reach this process; empty: the environment variable POD_IP"),
  CLUSTER_DOMAIN("clusterDomain", Kind.TEXT, "cluster.local", "DNS domain of the cluster"),
  DLROVER_MASTER_IMAGE(
      "dlroverMasterImage",
      Kind.TEXT,
      "registry.cn-hangzhou.aliyuncs.com/intell-ai/dlrover:master",
      "image of DLRover masters for jobs that do not set one"),
  DLROVER_MODE(
      "dlroverMode",
      Kind.DLROVER_MODE,
      "upstream-master",
      "who creates the workers of ElasticJobs that do not say: upstream-master (DLRover's master) or builtin (Muster)"),
  ELASTIC_POLICY(
      "elasticPolicy",
      Kind.ELASTIC_POLICY,
      "gang",
      "how elastic jobs follow free capacity: gang (whole gangs first, then even shares), edl (a share of the CPU, as PaddlePaddle EDL does) or off"),
  ELASTIC_HEADROOM(
      "elasticHeadroom",
      Kind.ELASTIC_HEAD_ROOM,
      "cpu",
      "which jobs get headroom under policy gang, that is capacity kept free for one more gang of the same size: cpu (jobs without accelerators), all or none"),
  ELASTIC_LOAD(
      "elasticLoadPercent",
      Kind.PERCENT,
      "97",
      "share of the CPU that pods may request under policy edl"),
  ELASTIC_DRY_RUN("elasticDryRun", Kind.SWITCH, "false", "only record what sizes jobs would get"),
  INIT_IMAGE(
      "initImage",
      Kind.TEXT,
      "alpine:3.10",
      "image of the init container that prepares a launcher's files; any image with a shell"),
  KUBECTL_IMAGE(
      "kubectlImage",
      Kind.TEXT,
      "kubeflow/kubectl-delivery:latest",
      "image of the init container that copies kubectl into launchers with launcherAttachMode kubexec; any image with kubectl on its PATH and a shell"),
  RECLAIM_TABLE(
      "reclaimTable",
      Kind.TEXT,
      "",
      "file with the signals that announce the removal of a node; empty: the built-in table"),
  RECLAIM_NOTICE(
      "reclaimNoticeSeconds",
      Kind.SECONDS,
      "120",
      "time from a signal without a deadline until Muster deletes workers that are still on the node"),
  RECLAIM_MARGIN(
      "reclaimMarginSeconds",
      Kind.SECONDS,
      "30",
      "time before the deadline of a signal at which Muster deletes workers that are still on the node"),
  PLACEMENT(
      "placementMode",
      Kind.PLACEMENT_MODE,
      "extender",
      "extender: kube-scheduler calls Muster; affinity: it does not, and gated members get required node affinity to their nodes; native: the same, and a PodGroup for each gang, so that kube-scheduler binds it whole or not at all"),
  NODE_AFFINITY_AT_RELEASE(
      "nodeAffinityAtRelease",
      Kind.PIN_POLICY,
      "auto",
      "whether members that a controller would recreate get required node affinity to their planned nodes when their scheduling gate is removed: auto (from %d nodes on), always or never"
          .formatted(NodePinPolicy.LARGE)),
  KEEP_MANAGED_FIELDS(
      "keepManagedFields",
      Kind.SWITCH,
      "false",
      "whether members of gangs keep metadata.managedFields; without them each write of a member costs less in every component, and members that are created by server-side apply keep them anyway"),
  BACKFILL_RESERVATION_AFTER(
      "backfillReservationAfterSeconds",
      Kind.SECONDS,
      "300",
      "waiting time after which the first gang of the queue that does not fit gets a backfill reservation"),
  BACKFILL_RESERVATION_TIMEOUT(
      "backfillReservationTimeoutSeconds",
      Kind.SECONDS,
      "86400",
      "a backfill reservation that has not led to a start expires after this time"),
  AGEING(
      "ageingSeconds",
      Kind.SECONDS,
      "43200",
      "a gang that has waited this long goes before all priorities"),
  PREEMPTION(
      "preemption",
      Kind.SWITCH,
      "true",
      "whether Muster preempts whole gangs for gangs of higher priority and for quota that a queue has lent"),
  PREEMPT_AFTER(
      "preemptAfterSeconds",
      Kind.SECONDS,
      "15",
      "waiting time of a gang before Muster preempts others for it; elastic jobs shrink before that"),
  PREEMPTION_GRACE(
      "preemptionGraceSeconds",
      Kind.SECONDS,
      "600",
      "longest grace period of a pod that Muster preempts, where its terminationGracePeriodSeconds is longer"),
  SCHEDULER_HTTP_TIMEOUT(
      "schedulerHttpTimeoutSeconds",
      Kind.SECONDS,
      "30",
      "kube-scheduler's httpTimeout for the extender"),
  SCHEDULER_POD_MAX_BACKOFF(
      "schedulerPodMaxBackoffSeconds", Kind.SECONDS, "10", "kube-scheduler's podMaxBackoffSeconds"),
  PERMIT_TIMEOUT(
      "permitTimeoutSeconds",
      Kind.SECONDS,
      "20",
      "how long a bind call waits at the permit barrier"),
  BIND_TIMEOUT(
      "bindTimeoutSeconds",
      Kind.SECONDS,
      "5",
      "time limit from the stored record to the last Binding of a gang"),
  RESERVATION_PROGRESS_TIMEOUT(
      "reservationProgressTimeoutSeconds",
      Kind.SECONDS,
      "45",
      "a reservation without progress expires after this time"),
  RESERVATION_TIMEOUT(
      "reservationTimeoutSeconds",
      Kind.SECONDS,
      "120",
      "every reservation expires after this time"),
  VOLUME_RESERVATION_TIMEOUT(
      "volumeReservationTimeoutSeconds",
      Kind.SECONDS,
      "300",
      "replaces both reservation timeouts while a member mounts an unbound PersistentVolumeClaim"),
  LEASE_DURATION(
      "leaseDurationSeconds",
      Kind.SECONDS,
      "15",
      "duration of the leader lease, renewed after a fifth of it"),
  REPAIR_TIMEOUT(
      "repairTimeoutSeconds",
      Kind.SECONDS,
      "30",
      "how long a gang that is bound in part may lack a place or be refused a Binding before its bound members are deleted; slowness alone does not count"),
  REPLACEMENT_TIMEOUT(
      "replacementTimeoutSeconds",
      Kind.SECONDS,
      "300",
      "how long the capacity of a lost member is kept for its replacement");

  private enum Kind {
    TEXT(new Takes.Text()),
    PORT(new Takes.Numbers(1, 65_535, "a port from 1 to 65535")),
    PORT_OR_NONE(new Takes.Numbers(0, 65_535, "a port from 1 to 65535, or 0 for none")),
    SECONDS(new Takes.Numbers(1, 86_400, "whole seconds from 1 to 86400")),
    SECONDS_OR_NONE(new Takes.Numbers(0, 86_400, "whole seconds from 0 to 86400")),
    PERCENT(new Takes.Numbers(0, 100, "whole percent from 0 to 100")),
    LOG_FORMAT(Takes.Choice.of("json", "text")),
    PLACEMENT_MODE(Takes.Choice.of("extender", "affinity", "native")),
    DLROVER_MODE(Takes.Choice.of("upstream-master", "builtin")),
    ENROLMENT(Takes.Choice.of("gang", "all", "shadow")),
    SWITCH(Takes.Choice.of("true", "false")),
    ELASTIC_POLICY(Takes.Choice.of("gang", "edl", "off")),
    ELASTIC_HEAD_ROOM(Takes.Choice.of("cpu", "all", "none")),
    DI_ACCESS(Takes.Choice.of("pods", "open")),
    DI_NEVER_FITS(Takes.Choice.of("refuse", "hold")),
    DI_SPLIT(Takes.Choice.of("fit", "simple")),
    PIN_POLICY(Takes.Choice.of("auto", "always", "never"));

    @SuppressWarnings("ImmutableEnumChecker") // all are records of what cannot change
    private final Takes takes;

    Kind(Takes takes) {
      this.takes = takes;
    }
  }

  /** What a setting takes. */
  public sealed interface Takes {

    /** Any text. */
    record Text() implements Takes {}

    /** Whole numbers, both bounds included; the words are for messages. */
    record Numbers(int least, int most, String words) implements Takes {}

    /** One of these. */
    record Choice(List<String> all) implements Takes {
      public Choice {
        all = List.copyOf(all);
      }

      private static Choice of(String... all) {
        return new Choice(List.of(all));
      }
    }
  }

  private final String key;
  private final Kind kind;
  private final String fallback;
  private final String meaning;

  Setting(String key, Kind kind, String fallback, String meaning) {
    this.key = key;
    this.kind = kind;
    this.fallback = fallback;
    this.meaning = meaning;
  }

  /** Key in the YAML file. */
  public String key() {
    return key;
  }

  /** What it takes. */
  public Takes takes() {
    return kind.takes;
  }

  /** Value where neither file nor environment says anything. */
  public String fallback() {
    return fallback;
  }

  /** One line for the documentation. */
  public String meaning() {
    return meaning;
  }

  /**
   * Environment variable of this setting; not plain MUSTER_*, because the kubelet sets such
   * variables for every Service named muster-something.
   */
  public String variable() {
    return "MUSTER_CFG_" + key.replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT);
  }

  static Optional<Setting> byKey(String key) {
    return Arrays.stream(values()).filter(setting -> setting.key.equals(key)).findFirst();
  }

  static Optional<Setting> byVariable(String variable) {
    return Arrays.stream(values())
        .filter(setting -> setting.variable().equals(variable))
        .findFirst();
  }

  /** What is wrong with a value, with the range that would be right; empty if nothing is. */
  Optional<String> problemWith(String value) {
    return switch (takes()) {
      case Takes.Text _ -> Optional.empty();
      case Takes.Numbers numbers when isOneOf(numbers, value) -> Optional.empty();
      case Takes.Numbers numbers -> mustBe(numbers.words(), value);
      case Takes.Choice(var all) when all.contains(value) -> Optional.empty();
      case Takes.Choice(var all) -> mustBe(String.join(" or ", all), value);
    };
  }

  private static boolean isOneOf(Takes.Numbers numbers, String value) {
    return value.matches("[0-9]{1,6}")
        && Integer.parseInt(value) >= numbers.least()
        && Integer.parseInt(value) <= numbers.most();
  }

  private static Optional<String> mustBe(String right, String value) {
    return Optional.of("must be %s, not \"%s\"".formatted(right, value));
  }
}
