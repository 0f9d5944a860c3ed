package io.muster.fuzz;

import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.api.JobStatus;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobKind;
import io.muster.controller.framework.JobMemory;
import io.muster.controller.framework.PlayedReconcile;
import io.muster.controller.kinds.di.DiKind;
import io.muster.controller.kinds.di.api.AggregatorConfig;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.dlrover.DlroverKind;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.controller.kinds.dlrover.job.Mode;
import io.muster.controller.kinds.etoperator.EtOperatorKind;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.TrainingJobPods;
import io.muster.controller.kinds.paddle.PaddleKind;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.controller.kube.node.SignalTable;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.StartAdvice;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Objects of the kinds that Muster runs, as an API server with their CRDs would store them. */
final class StoredJobs {

  private static final Instant START = Instant.parse("2026-01-01T00:00:10Z");
  private static final int LOOKS = 3;

  private final List<JsonNode> objects = Corpus.kinds();
  private final Map<String, StoredForm> forms = new HashMap<>();
  private final KubernetesClient client = mock(withSettings().stubOnly());
  private final JobAccess access = JobAccess.of(client, "muster", () -> START);
  private final EtOperatorKind etOperator;
  private final DlroverKind dlrover;
  private final DiKind di;
  private final PaddleKind paddle;
  private AggregatorConfig aggregators;

  StoredJobs() {
    var nodes =
        new LeavingNodes(
            new LeavingNodes.Settings(SignalTable.builtIn(), Duration.ZERO, Duration.ZERO),
            () -> START);
    GangReports reports = _ -> Optional.empty();
    StartAdvice advice = mock(withSettings().stubOnly());
    MixedOperation<AggregatorConfig, ?, ?> configs =
        mock(
            withSettings()
                .stubOnly()
                .extraInterfaces(Resource.class)
                .defaultAnswer(call ->
                    call.getMethod().getName().equals("get") ? aggregators : call.getMock()));
    doReturn(configs).when(client).resources(AggregatorConfig.class);
    etOperator =
        new EtOperatorKind(
            new TrainingJobPods.Images("init", "kubectl"),
            access,
            nodes,
            mock(withSettings().stubOnly()),
            reports);
    dlrover =
        new DlroverKind(
            new DlroverKind.Settings("master", Mode.BUILTIN),
            access,
            new DlroverKind.Placement(nodes, advice, reports));
    di = new DiKind(new DiAddresses("http://s", "http://s", "svc"), access, reports);
    paddle = new PaddleKind(access, reports);
    aggregators = read(good("AggregatorConfig"), AggregatorConfig.class);
  }

  private JsonNode good(String kind) {
    return objects.stream()
        .filter(object -> object.path("kind").asText().equals(kind))
        .findFirst()
        .orElseThrow();
  }

  private JsonNode good(String version, String kind) {
    return objects.stream()
        .filter(object -> object.path("kind").asText().equals(kind))
        .filter(object -> object.path("apiVersion").asText().startsWith(version))
        .findFirst()
        .orElseThrow();
  }

  private static <T> T read(JsonNode object, Class<T> type) {
    return Serialization.unmarshal(object.toString(), type);
  }

  void check(long seed) {
    var mutator = new Mutator(seed);
    var good = mutator.oneOf(objects);
    var broken = mutator.broken(good);
    var key = good.path("apiVersion").asText() + " " + good.path("kind").asText();
    var form =
        forms.computeIfAbsent(
            key,
            _ ->
                StoredForm.of(
                    Corpus.crd(good.path("apiVersion").asText(), good.path("kind").asText())));
    if (form.refusal(broken, good).isPresent()) {
      return;
    }
    try {
      reconcile(broken);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("%s: %s".formatted(mutator.touched(), broken), e);
    }
  }

  private void reconcile(JsonNode stored) {
    switch (stored.path("kind").asText()) {
      case "TrainingJob" -> {
        if (stored.path("apiVersion").asText().startsWith("paddle")) {
          look(paddle, read(stored, PaddleJob.class), List.of());
        } else {
          look(etOperator, read(stored, TrainingJob.class), List.of());
        }
      }
      case "ScaleIn" ->
          look(
              etOperator,
              read(good("kai", "TrainingJob"), TrainingJob.class),
              List.of(read(stored, ScaleIn.class)));
      case "ScaleOut" ->
          look(
              etOperator,
              read(good("kai", "TrainingJob"), TrainingJob.class),
              List.of(read(stored, ScaleOut.class)));
      case "ElasticJob" -> look(dlrover, read(stored, ElasticJob.class), List.of());
      case "ScalePlan" ->
          look(
              dlrover,
              read(good("ElasticJob"), ElasticJob.class),
              List.of(read(stored, ScalePlan.class)));
      case "DIJob" -> look(di, read(stored, DIJob.class), List.of());
      case "AggregatorConfig" -> {
        aggregators = read(stored, AggregatorConfig.class);
        look(di, read(good("DIJob"), DIJob.class), List.of());
        aggregators = read(good("AggregatorConfig"), AggregatorConfig.class);
      }
      default -> throw new IllegalArgumentException(stored.path("kind").asText());
    }
  }

  /** As far as the pods run, and one has failed. */
  private static <J extends CustomResource<?, S>, S extends JobStatus, M extends JobMemory>
      void look(JobKind<J, S, M> kind, J job, List<? extends HasMetadata> others) {
    var played = new PlayedReconcile<>(kind, others);
    var pods = new ArrayList<Pod>();
    for (int i = 0; i < LOOKS; i++) {
      var looked = played.look(job, pods, START.plusSeconds(i));
      looked.problems().forEach(Refusals::checkBeginsWithField);
      if (!looked.problems().isEmpty()) {
        return;
      }
      int had = pods.size();
      looked.pods().forEach(pod -> pods.add(running(pod, had + pods.size())));
    }
  }

  private static Pod running(Pod made, int number) {
    return new PodBuilder(made)
        .editMetadata()
        .withUid("pod-" + number)
        .withCreationTimestamp(START.toString())
        .endMetadata()
        .withNewStatus()
        .withPhase(number % 5 == 4 ? "Failed" : "Running")
        .withPodIP("10.1.1." + number)
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .endCondition()
        .endStatus()
        .build();
  }
}
