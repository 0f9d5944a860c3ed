package io.muster.deploy.config;

import io.muster.certs.Certificates;
import io.muster.extender.core.protocol.PinPolicy;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Every setting of {@code muster serve}: its key in the YAML file, its default, its meaning. */
public enum Setting {
  KUBECONFIG("kubeconfig", Kind.TEXT, "", "path of a kubeconfig; empty: the pod's own account"),
  NAMESPACE("namespace", Kind.TEXT, "muster-system", "namespace of Muster and its Secrets"),
  BIND_ADDRESS("bindAddress", Kind.TEXT, "0.0.0.0", "address to listen on"),
  EXTENDER_PORT("extenderPort", Kind.PORT, "9443", "kube-scheduler calls here, with a certificate"),
  WEBHOOK_PORT("webhookPort", Kind.PORT, "9444", "the apiserver calls here"),
  HEALTH_PORT("healthPort", Kind.PORT, "9445", "/livez, /readyz and /metrics, plain HTTP"),
  WEBHOOK_URL(
      "webhookUrl",
      Kind.TEXT,
      "",
      "how the apiserver reaches the webhook; empty: the Service muster-webhook"),
  SERVER_NAMES(
      "serverNames",
      Kind.TEXT,
      "",
      "further DNS names and IPs for the serving certificate, separated by commas"),
  CERTIFICATE_SECRET(
      "certificateSecret",
      Kind.TEXT,
      "",
      "Secret with tls.crt, tls.key and ca.crt from elsewhere, never written; empty: Muster's own CA"),
  SCHEDULER_CLIENT_SECRET(
      "schedulerClientSecret",
      Kind.TEXT,
      "",
      "Secret whose ca.crt verifies kube-scheduler, never written; empty: the same as certificateSecret"),
  SCHEDULER_CLIENT_NAMES(
      "schedulerClientNames",
      Kind.TEXT,
      Certificates.SCHEDULER_CLIENT_NAME,
      "common names of certificates that may call the extender, separated by commas; empty: any"),
  CERTIFICATE_CHECK(
      "certificateCheckSeconds",
      Kind.SECONDS,
      "30",
      "certificates are looked at this often; each step of a change of CA takes two looks"),
  IDENTITY(
      "identity",
      Kind.TEXT,
      "",
      "name in the leader lease, kept over restarts; empty: the host's name, in a cluster the pod's"),
  EVENT_SOURCE("eventSource", Kind.TEXT, "muster", "source component of events on pods"),
  LOG_FORMAT("logFormat", Kind.LOG_FORMAT, "json", "json or text"),
  SCHEDULERS(
      "schedulers",
      Kind.TEXT,
      "default-scheduler,muster-scheduler",
      "kube-schedulers that ask Muster, by schedulerName, separated by commas; pods of others are left alone"),
  JOB_KINDS(
      "jobKinds",
      Kind.TEXT,
      "kai,dlrover,di,paddle",
      "job kinds to run once their CRDs are installed, separated by commas: kai (et-operator), dlrover, di (DI-orchestrator), paddle (PaddlePaddle EDL); empty: none"),
  DI_SERVER_URL(
      "diServerUrl",
      Kind.TEXT,
      "http://di-server.di-system.svc.cluster.local:8081",
      "where pods of DIJobs with tasks are told that the server is"),
  DI_FIRST_SERVER_URL(
      "diFirstServerUrl",
      Kind.TEXT,
      "http://di-server.di-system:8080",
      "the same for DIJobs with a coordinator"),
  DI_PORT(
      "diPort",
      Kind.PORT_OR_NONE,
      "8091",
      "the server for DIJobs, plain HTTP, in every process; 0: none"),
  DI_ACCESS(
      "diServerAccess",
      Kind.DI_ACCESS,
      "pods",
      "who may call it: pods (those of the job and of di-system by their address, others by a token) or open (everybody)"),
  DI_HOLD(
      "diHoldSeconds",
      Kind.SECONDS_OR_NONE,
      "0",
      "a call for workers that have no room is answered without success after so long; 0: it is held until they run"),
  DI_NEVER_FITS(
      "diNeverFits",
      Kind.DI_NEVER_FITS,
      "refuse",
      "a call for workers that no node could hold even empty: refuse (answered without success at once) or hold (nodes may come, as where they are made on demand)"),
  DI_SPLIT(
      "diGpuSplit",
      Kind.DI_SPLIT,
      "fit",
      "on how many pods the GPUs of a learner are divided: fit (so that all of them start now, if they can) or simple (as many in each as most nodes have)"),
  DI_SERVICES(
      "diServices",
      Kind.SWITCH,
      "true",
      "the Services di-server.di-system and ding-server.ding-system are kept, and this process behind them"),
  ADVERTISE_ADDRESS(
      "advertiseAddress",
      Kind.TEXT,
      "",
      "IP address at which pods reach this process; empty: that in the environment variable POD_IP"),
  CLUSTER_DOMAIN(
      "clusterDomain", Kind.TEXT, "cluster.local", "behind svc in the names of Services"),
  DLROVER_MASTER_IMAGE(
      "dlroverMasterImage",
      Kind.TEXT,
      "registry.cn-hangzhou.aliyuncs.com/intell-ai/dlrover:master",
      "image of DLRover's masters, for jobs that bring none of their own"),
  DLROVER_MODE(
      "dlroverMode",
      Kind.DLROVER_MODE,
      "upstream-master",
      "who makes the workers of ElasticJobs that do not say: upstream-master (DLRover's own master) or builtin (Muster)"),
  ELASTIC_POLICY(
      "elasticPolicy",
      Kind.ELASTIC_POLICY,
      "gang",
      "by what jobs follow the room there is: gang (whole gangs first, then evenness), edl (a share of the CPU, as PaddlePaddle's EDL) or off"),
  ELASTIC_HEAD_ROOM(
      "elasticHeadRoom",
      Kind.ELASTIC_HEAD_ROOM,
      "cpu",
      "for whom policy gang keeps room for one more gang like the last: cpu (jobs without accelerators), all or none"),
  ELASTIC_LOAD(
      "elasticLoadPercent",
      Kind.PERCENT,
      "97",
      "share of the CPU that pods may ask for where the policy is edl"),
  ELASTIC_DRY_RUN(
      "elasticDryRun",
      Kind.SWITCH,
      "false",
      "jobs are only told, by events, what would be asked of them"),
  INIT_IMAGE(
      "initImage",
      Kind.TEXT,
      "alpine:3.10",
      "image of the init container that lays out a launcher's files; any with a shell"),
  KUBECTL_IMAGE(
      "kubectlImage",
      Kind.TEXT,
      "kubeflow/kubectl-delivery:latest",
      "image of the init container that brings kubectl to launchers with launcherAttachMode kubexec; any with kubectl on its PATH and a shell"),
  RECLAIM_TABLE(
      "reclaimTable",
      Kind.TEXT,
      "",
      "file of the signals by which nodes say that they will go; empty: the table that comes with Muster"),
  RECLAIM_NOTICE(
      "reclaimNoticeSeconds",
      Kind.SECONDS,
      "120",
      "after a signal that says no time, workers that have not left their node are deleted"),
  RECLAIM_MARGIN(
      "reclaimMarginSeconds",
      Kind.SECONDS,
      "30",
      "the same, before the time of the release where a signal says one"),
  PLACEMENT(
      "placementMode",
      Kind.PLACEMENT_MODE,
      "extender",
      "extender: kube-scheduler asks Muster; affinity: it does not, members are tied to their nodes while gated"),
  PIN(
      "nodeAffinityAtRelease",
      Kind.PIN_POLICY,
      "auto",
      "auto, always or never: members that are made anew get required node affinity to their planned nodes as their scheduling gate is removed; auto: from %d nodes on"
          .formatted(PinPolicy.LARGE)),
  CLAIM_AFTER(
      "claimAfterSeconds",
      Kind.SECONDS,
      "300",
      "the first gang in line that does not fit gets a claim then: what comes free is kept for it"),
  LONGEST_CLAIM(
      "longestClaimSeconds", Kind.SECONDS, "86400", "a claim that has led to nothing ends then"),
  AGEING(
      "ageingSeconds",
      Kind.SECONDS,
      "43200",
      "a gang that has waited so long goes before all priorities"),
  PREEMPTION(
      "preemption",
      Kind.SWITCH,
      "true",
      "gangs end, as a whole, for gangs of higher priority and for what their queue has lent"),
  PREEMPT_AFTER(
      "preemptAfterSeconds",
      Kind.SECONDS,
      "15",
      "they do so once a gang has found no room for so long; jobs that can shrink do so before"),
  HTTP_TIMEOUT("httpTimeoutSeconds", Kind.SECONDS, "30", "kube-scheduler's, per call"),
  POD_MAX_BACKOFF("podMaxBackoffSeconds", Kind.SECONDS, "10", "kube-scheduler's"),
  HOLD("holdSeconds", Kind.SECONDS, "20", "one bind call waits at most this"),
  BURST("burstSeconds", Kind.SECONDS, "5", "from the record to the last Binding"),
  GANG_STALL("gangDeadlineSeconds", Kind.SECONDS, "45", "a reservation without progress ends"),
  GANG_TOTAL("gangDeadlineTotalSeconds", Kind.SECONDS, "120", "any reservation ends"),
  VOLUME(
      "volumeDeadlineSeconds",
      Kind.SECONDS,
      "300",
      "in place of both where members mount claims that have no volume yet"),
  LEASE("leaseSeconds", Kind.SECONDS, "15", "the leader lease; renewed at a fifth of it"),
  REPAIR("repairSeconds", Kind.SECONDS, "30", "a cut burst is completed, or undone then"),
  REPLACEMENT(
      "replacementSeconds", Kind.SECONDS, "300", "room is kept for lost members' replacements");

  /** What values a setting takes. */
  public enum Kind {
    TEXT,
    PORT,
    PORT_OR_NONE,
    SECONDS,
    SECONDS_OR_NONE,
    LOG_FORMAT,
    PERCENT,
    PLACEMENT_MODE,
    PIN_POLICY,
    DLROVER_MODE,
    ELASTIC_POLICY,
    ELASTIC_HEAD_ROOM,
    DI_ACCESS,
    DI_NEVER_FITS,
    DI_SPLIT,
    SWITCH
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
    return switch (kind) {
      case TEXT -> Optional.empty();
      case PORT -> outside(value, 1, 65_535, "a port from 1 to 65535");
      case PORT_OR_NONE -> outside(value, 0, 65_535, "a port from 1 to 65535, or 0 for none");
      case SECONDS -> outside(value, 1, 86_400, "whole seconds from 1 to 86400");
      case SECONDS_OR_NONE -> outside(value, 0, 86_400, "whole seconds from 0 to 86400");
      case PERCENT -> outside(value, 0, 100, "whole percent from 0 to 100");
      case LOG_FORMAT -> notOneOf(value, "json", "text");
      case PLACEMENT_MODE -> notOneOf(value, "extender", "affinity");
      case DLROVER_MODE -> notOneOf(value, "upstream-master", "builtin");
      case SWITCH -> notOneOf(value, "true", "false");
      case ELASTIC_POLICY -> notOneOf(value, "gang", "edl", "off");
      case ELASTIC_HEAD_ROOM -> notOneOf(value, "cpu", "all", "none");
      case DI_ACCESS -> notOneOf(value, "pods", "open");
      case DI_NEVER_FITS -> notOneOf(value, "refuse", "hold");
      case DI_SPLIT -> notOneOf(value, "fit", "simple");
      case PIN_POLICY -> notOneOf(value, "auto", "always", "never");
    };
  }

  private static Optional<String> notOneOf(String value, String... right) {
    return List.of(right).contains(value)
        ? Optional.empty()
        : Optional.of("must be %s, not \"%s\"".formatted(String.join(" or ", right), value));
  }

  private static Optional<String> outside(String value, int least, int most, String range) {
    if (value.matches("[0-9]{1,6}")) {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most) {
        return Optional.empty();
      }
    }
    return Optional.of("must be %s, not \"%s\"".formatted(range, value));
  }
}
