package io.muster.webhook.http;

/** Pods as they reach the webhook. */
final class Pods {

  static final String GANG_OF_KOORDINATOR =
      """
      metadata:
        generateName: worker-
        annotations:
          gang.scheduling.koordinator.sh/name: a
          gang.scheduling.koordinator.sh/min-available: "4"
      spec:
        schedulerName: default-scheduler
        containers:
        - name: main
          resources: {limits: {nvidia.com/gpu: "1"}, requests: {nvidia.com/gpu: "1"}}
      """;

  static final String GANG_WITHOUT_GPU =
      """
      metadata: {name: launcher, annotations: {muster.io/gang-name: a, muster.io/gang-min: "2"}}
      spec:
        schedulerName: default-scheduler
        containers:
        - {name: main, resources: {requests: {cpu: "1"}}}
        - {name: side}
      """;

  static final String GANG_BY_LABELS =
      """
      metadata:
        name: bare
        labels:
          pod-group.scheduling.sigs.k8s.io/name: a
          pod-group.scheduling.sigs.k8s.io/min-available: "2"
      spec:
        initContainers: [{name: prepare, resources: {requests: {nvidia.com/gpu: "1"}}}]
        containers: [{name: main}]
      """;

  static final String COPIED_MANIFEST =
      """
      metadata:
        name: copy
        annotations:
          muster.io/gang-name: a
          muster.io/gang-min: "2"
          muster.io/gang-dialect: koordinator
          muster.io/gang-incarnation: old
          muster.io/injected: default@00000000
      spec:
        schedulerName: default-scheduler
        schedulingGates: [{name: quota}, {name: muster.io/gang}]
        containers:
        - {name: proxy, resources: {}}
        - {name: main, resources: {requests: {muster.io/gang-member: "1"}}}
      """;

  static final String GPU_WITHOUT_GANG =
      """
      metadata: {name: single}
      spec:
        schedulerName: default-scheduler
        containers:
        - {name: main, resources: {requests: {cpu: "1", nvidia.com/gpu: "2", amd.com/gpu: "0"}}}
      """;

  static final String OTHER_SCHEDULER =
      """
      metadata: {name: koord, annotations: {gang.scheduling.koordinator.sh/name: a}}
      spec:
        schedulerName: koord-scheduler
        containers: [{name: main, resources: {requests: {nvidia.com/gpu: "2"}}}]
      """;

  static final String GANG_OF_VOLCANO =
      """
      metadata: {name: volcano, annotations: {scheduling.k8s.io/group-name: v}}
      spec: {schedulerName: default-scheduler, containers: [{name: main}]}
      """;

  private Pods() {}
}
