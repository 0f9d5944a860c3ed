package io.muster.controller.etoperator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.Resize;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.etoperator.LauncherShell.ShellException;
import io.muster.controller.etoperator.api.ScaleIn;
import io.muster.controller.etoperator.api.ScaleInSpec;
import io.muster.controller.etoperator.api.ScaleOut;
import io.muster.controller.etoperator.api.ScaleOutSpec;
import io.muster.controller.etoperator.api.Selector;
import io.muster.controller.etoperator.api.ToAdd;
import io.muster.controller.etoperator.api.ToDelete;
import io.muster.controller.etoperator.api.TrainingJob;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.ForeignObjectException;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.JobWrites;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.Turnstile;
import io.muster.controller.kube.Work;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the engine's actions out for TrainingJobs. What is there already, or gone already, is as
 * good as done. Safe for concurrent use, one job at a time.
 */
final class Writes {

  private static final Logger LOG = LoggerFactory.getLogger(Writes.class);

  private final KubernetesClient client;
  private final JobWrites common;
  private final PodForms forms;
  private final LauncherShell shell;
  private final SshKeys keys = new SshKeys();
  private final InstantSource clock;
  private final JobEvents events;

  Writes(KubernetesClient client, PodForms forms, InstantSource clock, JobEvents events) {
    this.client = client;
    this.common = new JobWrites(client, clock);
    this.forms = forms;
    this.shell = new LauncherShell(client);
    this.clock = clock;
    this.events = events;
  }

  /**
   * Where to do it.
   *
   * @param launcher that was seen
   * @param made takes the pods that are made, so that they count before the watch shows them
   * @param pass given back before anything is done in a launcher, which may take long
   */
  record Site(
      TrainingJob job,
      LauncherMemory memory,
      Optional<Pod> launcher,
      Consumer<Pod> made,
      Turnstile.Pass pass) {}

  /** What is to be done for it, one after the other. */
  List<Work.Step> steps(Action action, Site site) {
    return action instanceof Action.Prepare prepare
        ? preparations(site, prepare)
        : List.of(() -> carryOut(action, site));
  }

  private boolean carryOut(Action action, Site site) {
    switch (action) {
      case Action.Create create -> {
        return create(site, create);
      }
      case Action.Delete(String name, String uid) -> delete(site, name, uid);
      case Action.Tell(List<String> members) -> {
        return tell(site, members);
      }
      case Action.Probe(List<String> members) -> {
        return probe(site, members);
      }
      case Action.Prepare _, Action.Script _ ->
          throw new IllegalArgumentException("this is done by other means: " + action);
      case Action.Ask ask -> ask(site.job(), ask);
      case Action.Withdraw(String id) -> withdraw(site.job(), id);
      case Action.Remove _ -> client.resource(site.job()).delete();
    }
    return false;
  }

  private List<Work.Step> preparations(Site site, Action.Prepare prepare) {
    var steps = new ArrayList<Work.Step>();
    var members = prepare.members();
    if (prepare.role().equals(Names.LAUNCHER)) {
      // The Role first: nobody may bind one that is not there.
      steps.add(
          preparing(
              site,
              prepare,
              () -> {
                configure(site, members);
                site.memory().prepared(members);
              }));
      Companions.identity(site.job())
          .forEach(object ->
              steps.add(preparing(site, prepare, () -> common.putOwn(site.job(), object))));
    } else if (JobReading.usesSsh(site.job())
        && Names.sshSecret(site.job()).equals(site.job().getMetadata().getName())) {
      steps.add(preparing(site, prepare, () -> makeKeys(site.job())));
    }
    return steps;
  }

  private Work.Step preparing(Site site, Action.Prepare prepare, Runnable make) {
    return common.preparing(prepare.first(), site.memory(), make);
  }

  /** Whoever has put a key there by the job's name means the job to have it. */
  private void makeKeys(TrainingJob job) {
    var name = job.getMetadata().getName();
    var there = client.secrets().inNamespace(job.getMetadata().getNamespace()).withName(name).get();
    if (there == null) {
      common.putOwn(job, Companions.secret(job, keys.make()));
    } else if (!Ownership.isControlled(there, job.getMetadata().getUid())
        && !missing(there).isEmpty()) {
      throw new ForeignObjectException(
          there,
          "it has no %s, as a key for ssh has; add that, name the Secret that has it by the annotation %s, or give the job another name"
              .formatted(String.join(", ", missing(there)), Names.SSH_SECRET));
    }
  }

  private static List<String> missing(Secret secret) {
    return Companions.SSH_KEYS.stream()
        .filter(key -> secret.getData() == null || !secret.getData().containsKey(key))
        .toList();
  }

  private boolean create(Site site, Action.Create create) {
    return common.makePod(site.job(), create.name(), site.memory(), () -> make(site, create));
  }

  private void make(Site site, Action.Create create) {
    var job = site.job();
    if (create.role().equals(Names.WORKER)) {
      common.putOwn(job, Companions.service(job, create.name(), create.index()));
    }
    var pod = client.resource(forms.pod(job, create)).create();
    site.made().accept(pod);
    if (create.role().equals(Names.LAUNCHER)) {
      site.memory().toldAtBirth(pod.getMetadata().getUid());
    }
  }

  /** Says on the job itself that it has waited too long, as its supervisor's users know it. */
  TrainingJob markTimedOut(TrainingJob job) {
    return client
        .resource(job)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"annotations\":{\"%s\":\"timeout\"}}}".formatted(Names.JOB_STATUS));
  }

  /** What is missing in a Secret of the user's own; empty as long as there is no such Secret. */
  List<String> missingKeys(TrainingJob job) {
    var name = Names.sshSecret(job);
    if (!JobReading.usesSsh(job) || name.equals(job.getMetadata().getName())) {
      return List.of();
    }
    var secret =
        client.secrets().inNamespace(job.getMetadata().getNamespace()).withName(name).get();
    return secret == null
        ? List.of()
        : missing(secret).stream()
            .map(key ->
                "metadata.annotations[%s]: Secret %s has no key %s; add it"
                    .formatted(Names.SSH_SECRET, name, key))
            .toList();
  }

  private void delete(Site site, String name, String uid) {
    common.deleteService(site.job(), name);
    common.deletePod(site.job(), name, uid, site.memory());
  }

  private boolean tell(Site site, List<String> members) {
    var job = site.job();
    var memory = site.memory();
    try {
      configure(site, members);
    } catch (ForeignObjectException e) {
      events.leaveOnce(job, new Remark(true, "LauncherUntold", e.getMessage()), memory);
      return false;
    }
    if (site.launcher().isEmpty()) {
      return false;
    }
    site.pass().leave();
    try {
      shell.tell(job, members);
      memory.told(site.launcher().get().getMetadata().getUid(), members);
      return true;
    } catch (ShellException e) {
      memory.forgetTold();
      warn(job, "the launcher could not be told of its workers", e);
      var remark = new Remark(true, "LauncherUnreachable", e.getMessage());
      events.leaveOnce(job, remark, memory);
      return false;
    }
  }

  private boolean probe(Site site, List<String> members) {
    var job = site.job();
    var memory = site.memory();
    site.pass().leave();
    try {
      memory.probed(shell.attached(job, members), clock.instant());
      return true;
    } catch (ShellException e) {
      memory.probed(Map.of(), clock.instant());
      warn(job, "the launcher's processes could not be looked at", e);
      return false;
    }
  }

  /** Runs a scaler's script; how it went is remembered. */
  void script(Site site, Resize resize, List<String> members) {
    var request = resize.request();
    var memory = site.memory();
    site.pass().leave();
    try {
      shell.script(site.job(), request.script().orElseThrow(), members, request.timeout());
      memory.scriptEnded(request.id(), Optional.empty());
    } catch (ShellException e) {
      memory.scriptEnded(request.id(), Optional.of(e.getMessage()));
    }
  }

  private static void warn(TrainingJob job, String what, ShellException e) {
    LOG.atWarn()
        .addKeyValue("job", job.getMetadata().getNamespace() + "/" + job.getMetadata().getName())
        .addKeyValue("message", e.getMessage())
        .log(what);
  }

  /** Makes a scaler in the user's stead. */
  void ask(TrainingJob job, Action.Ask ask) {
    var name = job.getMetadata().getName();
    var labels = new HashMap<>(Map.of(Names.GENERATED_LABEL, "true", Names.JOB_ID_LABEL, name));
    if (ask.urgent()) {
      labels.put(ScalerForm.URGENT_LABEL, "true");
    }
    var selector = new Selector(name);
    HasMetadata scaler =
        switch (ask.change()) {
          case Change.Add(int count) -> {
            var out = new ScaleOut();
            out.setSpec(new ScaleOutSpec(selector, new ToAdd(count), null, null, null, null));
            yield out;
          }
          case Change.Remove(int count) -> in(selector, new ToDelete(count, null));
          case Change.RemoveNamed(List<String> names) -> in(selector, new ToDelete(null, names));
          case Change.AddLost _, Change.To _, Change.Unclear _ ->
              throw new IllegalArgumentException("nobody asks so: " + ask);
        };
    scaler.getMetadata().setName(ask.key());
    scaler.getMetadata().setNamespace(job.getMetadata().getNamespace());
    scaler.getMetadata().setLabels(labels);
    ask.forcedAt()
        .ifPresent(at ->
            scaler.getMetadata().setAnnotations(Map.of(ScalerForm.FORCED_AT, Conditions.time(at))));
    scaler.getMetadata().setOwnerReferences(List.of(Ownership.by(job)));
    common.putIfAbsent(scaler);
  }

  private void withdraw(TrainingJob job, String id) {
    var name = id.substring(id.lastIndexOf('/') + 1);
    var namespace = job.getMetadata().getNamespace();
    var kind = id.startsWith(ScalerForm.IN + ":") ? ScaleIn.class : ScaleOut.class;
    JobWrites.ignoringAbsence(
        () -> client.resources(kind).inNamespace(namespace).withName(name).delete());
  }

  private static ScaleIn in(Selector selector, ToDelete which) {
    var in = new ScaleIn();
    in.setSpec(new ScaleInSpec(selector, which, null, null, null, null));
    return in;
  }

  /** What a launcher may do and what one that starts finds; mostly made once, then changed. */
  private void configure(Site site, List<String> members) {
    var memory = site.memory();
    var config = Companions.config(site.job(), members);
    if (memory.configured().equals(Optional.of(config.getData()))) {
      return;
    }
    // First: whom it is told of it may reach.
    common.replaceOwn(site.job(), Companions.role(site.job(), members));
    common.replaceOwn(site.job(), config);
    memory.configured(config.getData());
  }
}
