package io.muster.extender.kube.watch;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.gang.Gangs;
import io.muster.extender.kube.watch.Opening.Part;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OpeningTest {

  private static final Event LEVELS = new Event.LevelsSet(Levels.FOUND);
  private static final Event QUEUES = new Event.QueuesSet(Queues.NONE);
  private static final Event BUDGET = new Event.BudgetGone("ml", "b");
  private static final Event QUOTA = new Event.NamespaceQuotaGone("ml", "q");
  private static final Event NODE = new Event.NodeGone("n1");
  private static final Event NAMESPACE = new Event.NamespaceGone("ml");
  private static final Event RECORD = new Event.RecordFound(Gangs.record(Phase.BINDING, 1));
  private static final Event TERMS =
      new Event.TermsGone(new TermsObject(TermsObject.Kind.VOLCANO_POD_GROUP, "ml", "v"));
  private static final Event POD = new Event.PodSeen(aPod("p").build());
  private static final Event LATER = new Event.PodGone(aPod("p").build().key());

  private final List<Event> told = new ArrayList<>();
  private final Opening opening = new Opening(told::add);

  @Test
  void tellsQueuesBudgetsQuotasNamespacesNodesRecordsTermsPodsAndThenReady() {
    opening.pass(Part.PODS, List.of(POD));
    opening.listed(Part.PODS);
    opening.pass(Part.PODS, List.of(LATER));
    opening.pass(Part.RECORDS, List.of(RECORD));
    opening.listed(Part.RECORDS);
    opening.pass(Part.TERMS, List.of(TERMS));
    opening.listed(Part.TERMS);
    opening.pass(Part.NODES, List.of(NODE));
    opening.pass(Part.NAMESPACES, List.of(NAMESPACE));
    opening.listed(Part.NAMESPACES);
    assertThat(told).isEmpty();
    opening.listed(Part.NODES);
    opening.pass(Part.RESOURCEQUOTAS, List.of(QUOTA));
    opening.listed(Part.RESOURCEQUOTAS);
    opening.pass(Part.BUDGETS, List.of(BUDGET));
    opening.listed(Part.BUDGETS);
    opening.listed(Part.DEVICES);
    assertThat(told).as("queues are not known").isEmpty();
    assertThat(opening.missing()).containsExactlyInAnyOrder(Part.QUEUES, Part.LEVELS);
    opening.pass(Part.QUEUES, List.of(QUEUES));
    opening.listed(Part.QUEUES);
    opening.pass(Part.LEVELS, List.of(LEVELS));
    opening.listed(Part.LEVELS);

    assertThat(told)
        .containsExactly(
            QUEUES,
            LEVELS,
            BUDGET,
            QUOTA,
            NAMESPACE,
            NODE,
            RECORD,
            TERMS,
            POD,
            LATER,
            new Event.Ready());
  }

  @Test
  void passesEverythingButRecordsOnceOpen() {
    for (var part : Part.values()) {
      opening.listed(part);
    }
    told.clear();

    var gone = new Event.RecordGone(Gangs.TRAIN);
    opening.pass(Part.RECORDS, List.of(RECORD, gone));
    opening.pass(Part.PODS, List.of(POD));
    opening.listed(Part.PODS);

    assertThat(told).containsExactly(gone, POD);
  }
}
