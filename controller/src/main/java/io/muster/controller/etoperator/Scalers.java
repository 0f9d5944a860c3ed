package io.muster.controller.etoperator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.muster.controller.core.engine.Member;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.engine.Resize;
import io.muster.controller.etoperator.api.ScaleIn;
import io.muster.controller.etoperator.api.ScaleOut;
import io.muster.controller.etoperator.api.TrainingJob;
import io.muster.controller.kube.Ownership;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The scalers of one job, as they were when it was looked at, and the way to store how far they
 * are. Serves one look.
 */
final class Scalers {

  private final KubernetesClient client;
  private final InstantSource clock;
  private final LauncherMemory memory;
  private final Map<String, ScaleIn> ins = new HashMap<>();
  private final Map<String, ScaleOut> outs = new HashMap<>();
  private final List<Resize> resizes = new ArrayList<>();

  Scalers(
      KubernetesClient client,
      InstantSource clock,
      Context<TrainingJob> context,
      LauncherMemory memory) {
    this.client = client;
    this.clock = clock;
    this.memory = memory;
    context
        .getSecondaryResourcesAsStream(ScaleIn.class)
        .filter(scaler -> !scaler.isMarkedForDeletion())
        .map(scaler -> memory.newest(scaler, ScaleIn.class))
        .forEach(scaler -> {
          var resize = ScalerForm.resize(scaler);
          resizes.add(resize);
          ins.put(resize.request().id(), scaler);
        });
    context
        .getSecondaryResourcesAsStream(ScaleOut.class)
        .filter(scaler -> !scaler.isMarkedForDeletion())
        .map(scaler -> memory.newest(scaler, ScaleOut.class))
        .forEach(scaler -> {
          var resize = ScalerForm.resize(scaler);
          resizes.add(resize);
          outs.put(resize.request().id(), scaler);
        });
  }

  List<Resize> resizes() {
    return List.copyOf(resizes);
  }

  Resize resize(String id) {
    return resizes.stream()
        .filter(resize -> resize.request().id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  void store(TrainingJob job, Outcome outcome, List<Member> members) {
    outcome.resizes().forEach(resize -> store(job, resize, outcome.news(), members));
  }

  private void store(TrainingJob job, Resize resize, List<News> news, List<Member> members) {
    var full = job.getMetadata().getNamespace() + "/" + job.getMetadata().getName();
    var id = resize.request().id();
    if (ins.containsKey(id)) {
      var changed = owned(ins.get(id), job);
      changed.setStatus(ScalerForm.status(changed, full, resize, news, clock.instant()));
      memory.wrote(client.resource(changed).updateStatus());
    } else {
      var changed = owned(outs.get(id), job);
      int up =
          (int)
              members.stream()
                  .filter(member -> resize.plan().contains(member.name()) && member.isUp())
                  .count();
      changed.setStatus(ScalerForm.status(changed, full, resize, news, up, clock.instant()));
      memory.wrote(client.resource(changed).updateStatus());
    }
  }

  /** A copy that goes with the job; whoever else owns it stays. */
  private <T extends HasMetadata> T owned(T scaler, TrainingJob job) {
    var owners = new ArrayList<>(scaler.getMetadata().getOwnerReferences());
    if (owners.stream().anyMatch(owner -> owner.getUid().equals(job.getMetadata().getUid()))) {
      return client.getKubernetesSerialization().clone(scaler);
    }
    var own = Ownership.by(job);
    own.setController(
        owners.stream().noneMatch(owner -> Boolean.TRUE.equals(owner.getController())));
    owners.add(own);
    var patch = Map.of("metadata", Map.of("ownerReferences", owners));
    return client
        .resource(scaler)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            client.getKubernetesSerialization().asJson(patch));
  }
}
