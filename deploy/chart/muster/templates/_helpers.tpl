{{/* Names are fixed: the program knows them. What the selectors have never changes. */}}
{{- define "muster.selector" -}}
app.kubernetes.io/name: muster
app.kubernetes.io/component: {{ . }}
{{- end }}

{{- define "muster.labels" -}}
app.kubernetes.io/part-of: muster
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "muster.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end }}
{{- end }}
{{- end }}

{{- define "muster.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
- name: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* What Pod Security restricted asks of a pod. */}}
{{- define "muster.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{/* And of a container. */}}
{{- define "muster.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* The job kinds that are on, in order, separated by commas. */}}
{{- define "muster.jobKinds" -}}
{{- $kinds := list }}
{{- range $kind, $on := .Values.jobKinds }}
{{- if $on }}{{ $kinds = append $kinds $kind }}{{ end }}
{{- end }}
{{- join "," $kinds }}
{{- end }}

{{/* The document muster.yaml: what other values give, then the settings. */}}
{{- define "muster.settings" -}}
{{- $given := dict
  "namespace" .Release.Namespace
  "extenderPort" .Values.ports.extender
  "webhookPort" .Values.ports.webhook
  "healthPort" .Values.ports.health
  "diPort" (ternary .Values.ports.di 0 .Values.jobKinds.di)
  "jobKinds" (include "muster.jobKinds" .)
  "defaultEnrolment" .Values.enrolment
  "placementMode" (ternary "extender" .Values.mode (has .Values.mode (list "shared" "second")))
  "leaderEndpoint" (has .Values.mode (list "shared" "second")) }}
{{- if eq .Values.mode "second" }}
{{- $_ := set $given "schedulers" "muster-scheduler" }}
{{- $_ := set $given "assignScheduler" "muster-scheduler" }}
{{- end }}
{{- if ne .Values.certificates.source "own" }}
{{- $_ := set $given "certificateSecret" .Values.certificates.serverSecret }}
{{- if has .Values.mode (list "shared" "second") }}
{{- $_ := set $given "schedulerClientSecret" .Values.certificates.clientSecret }}
{{- end }}
{{- end }}
{{- range $key, $value := .Values.settings }}
{{- $_ := set $given $key $value }}
{{- end }}
{{- toYaml $given }}
{{- end }}

{{/* The Secrets of certificates from elsewhere that Muster reads, as items of a list; none with its own CA. */}}
{{- define "muster.givenSecrets" -}}
{{- if ne .Values.certificates.source "own" }}
- {{ .Values.certificates.serverSecret | quote }}
{{- if has .Values.mode (list "shared" "second") }}
- {{ .Values.certificates.clientSecret | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* The options in the image, with the heap of the values: what comes later wins. */}}
{{- define "muster.javaOptions" -}}
{{- $options := list "@/opt/muster/jvm.options" (print "-Xmn" .Values.jvm.young) (print "-Xmx" .Values.jvm.heap) }}
{{- join " " (concat $options .Values.jvm.options) }}
{{- end }}

{{/* An amount of memory, as Kubernetes or the JVM writes it, in whole MiB. */}}
{{- define "muster.mebibytes" -}}
{{- $written := kindIs "float64" . | ternary (printf "%.0f" (float64 .)) (toString .) }}
{{- $bytes := dict "" 1 "m" 0.001 "k" 1000 "Ki" 1024 "M" 1000000 "Mi" 1048576 "G" 1000000000 "Gi" 1073741824 }}
{{- $unit := regexFind "[A-Za-z]*$" $written }}
{{- divf (mulf (float64 (trimSuffix $unit $written)) (get $bytes $unit)) 1048576 | floor | int }}
{{- end }}

{{/* Refuses a heap that does not fit into the limit of its pod: the kernel would kill it again and again. */}}
{{- define "muster.heapFits" -}}
{{- $heap := include "muster.mebibytes" (.heap | replace "m" "Mi" | replace "g" "Gi") }}
{{- with dig "limits" "memory" "" (.resources | default dict) }}
{{- if le (include "muster.mebibytes" . | int) (int $heap) }}
{{- fail (printf "%s is %s, and %s.limits.memory is %s, in which it does not fit: set that to at least %dMi" $.key $.heap $.of (toString .) (add $heap 384)) }}
{{- end }}
{{- end }}
{{- end }}

{{/*
The objects of a file of deploy/rbac, in the release's namespace. Muster's own namespace is the release's, and
helm makes that. Namespaces of other communities stay at helm uninstall, with the jobs in them; one that is
there already and is not the release's is left as it is.
*/}}
{{- define "muster.rights" -}}
{{- range splitList "\n---\n" (.root.Files.Get (printf "files/rbac/%s.yml" .file)) }}
{{- $text := . | replace "namespace: muster-system" (print "namespace: " (quote $.root.Release.Namespace)) | trim }}
{{- $object := fromYaml $text }}
{{- if ne $object.kind "Namespace" }}
---
{{ $text }}
{{- else if ne $object.metadata.name "muster-system" }}
{{- $there := lookup "v1" "Namespace" "" $object.metadata.name }}
{{- $owner := dig "metadata" "annotations" "meta.helm.sh/release-name" "" $there }}
{{- if or (not $there) (eq $owner $.root.Release.Name) }}
---
{{ $text | replace "metadata:\n" "metadata:\n  annotations:\n    helm.sh/resource-policy: keep\n" }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The rest of a container that runs a command of Muster; ends with its volumeMounts. */}}
{{- define "muster.commandPod" -}}
env:
- name: MUSTER_CFG_NAMESPACE
  value: {{ .Release.Namespace | quote }}
- name: MUSTER_CFG_HEALTH_PORT
  value: {{ .Values.ports.health | quote }}
- name: JDK_JAVA_OPTIONS
  value: "@/opt/muster/jvm.options -Xmx256m"
resources:
  requests:
    cpu: 100m
    memory: 256Mi
  limits:
    memory: 512Mi
{{ include "muster.containerSecurity" . }}
volumeMounts:
- name: tmp
  mountPath: /tmp
{{- end }}
