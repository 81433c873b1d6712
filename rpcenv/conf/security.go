package conf

// What settings of protection promise and nothing gives.
const (
	noAuthentication = "peers are not authenticated"
	noEncryption     = "connections are not encrypted"
	noTLS            = "nothing is served over TLS"
	noACLs           = "users' rights are not checked"
	noKerberos       = "Kerberos authenticates no caller"
	noFilters        = "requests pass no filters"
)

// Settings of Spark that promise protection. Each is refused unless it has its default.
var (
	Authenticate = entry("spark.authenticate", bools, "false",
		"Whether peers prove that they know the cluster's secret.").protects(noAuthentication)
	AuthenticateSecret = optional("spark.authenticate.secret", texts,
		"The cluster's secret.").protects(noAuthentication)
	AuthenticateSecretFile = optional("spark.authenticate.secret.file", texts,
		"The file with the cluster's secret.").protects(noAuthentication)
	AuthenticateSecretDriverFile = fallback("spark.authenticate.secret.driver.file", texts, AuthenticateSecretFile,
		"The file with the cluster's secret, for the driver.").protects(noAuthentication)
	AuthenticateSecretExecutorFile = fallback("spark.authenticate.secret.executor.file", texts, AuthenticateSecretFile,
		"The file with the cluster's secret, for executors.").protects(noAuthentication)
	AuthenticateSASLEncryption = entry("spark.authenticate.enableSaslEncryption", bools, "false",
		"Whether connections are encrypted by SASL.").protects(noEncryption)
	NetworkCryptoEnabled = entry("spark.network.crypto.enabled", bools, "false",
		"Whether connections are encrypted.").protects(noEncryption)
	NetworkSASLAlwaysEncrypt = entry("spark.network.sasl.serverAlwaysEncrypt", bools, "false",
		"Whether connections that are not encrypted are refused.").protects(noEncryption)
	IOEncryption = entry("spark.io.encryption.enabled", bools, "false",
		"Whether shuffle files and blocks are encrypted on disk.").protects("files are not encrypted")
	SSLEnabled = entry("spark.ssl.enabled", bools, "false",
		"Whether pages and RPC are served over TLS.").protects(noTLS)
	SSLUI = fallback("spark.ssl.ui.enabled", bools, SSLEnabled,
		"Whether an application's pages are served over TLS.").protects(noTLS)
	SSLStandalone = fallback("spark.ssl.standalone.enabled", bools, SSLEnabled,
		"Whether the pages of Master and Worker are served over TLS.").protects(noTLS)
	SSLHistoryServer = fallback("spark.ssl.historyServer.enabled", bools, SSLEnabled,
		"Whether the history server's pages are served over TLS.").protects(noTLS)
	SSLRPC = fallback("spark.ssl.rpc.enabled", bools, SSLEnabled,
		"Whether RPC is over TLS.").protects(noTLS)
	ACLsEnable = entry("spark.acls.enable", bools, "false",
		"Whether pages look at the rights of users.").protects(noACLs)
	UIACLsEnable = fallback("spark.ui.acls.enable", bools, ACLsEnable,
		"The older name of spark.acls.enable.").protects(noACLs)
	UIFilters = optional("spark.ui.filters", lists,
		"Servlet filters that requests of pages pass.").protects(noFilters)
	MasterRESTFilters = optional("spark.master.rest.filters", lists,
		"Servlet filters that requests of the REST server pass.").protects(noFilters)
	KerberosPrincipal = optional("spark.kerberos.principal", texts,
		"The Kerberos principal of a driver on a secured Hadoop cluster.").protects(noKerberos)
	KerberosKeytab = optional("spark.kerberos.keytab", texts,
		"The file with the keys of spark.kerberos.principal.").protects(noKerberos)
)

// Settings of Hadoop that promise protection. Each is refused unless it has its default. Those that begin with hadoop. come
// from core-site.xml.
var (
	YARNACLEnable = entry("yarn.acl.enable", bools, "false",
		"Whether YARN looks at the rights of users.").protects(noACLs)
	YARNAdminACL = entry("yarn.admin.acl", filled(texts), "*",
		"The users that may administer a ResourceManager.").protects(noACLs)
	YARNAuthorizationProvider = optional("yarn.authorization-provider", texts,
		"The class that decides about rights.").protects(noACLs)
	YARNHTTPPolicy = entry("yarn.http.policy", enum("HTTP_ONLY", "HTTPS_ONLY"), "HTTP_ONLY",
		"Whether YARN's pages are served over TLS.").protects(noTLS)
	YARNApplicationHTTPSPolicy = entry("yarn.resourcemanager.application-https.policy", enum("NONE", "LENIENT", "STRICT"), "NONE",
		"Whether the pages of application masters are served over TLS.").protects(noTLS)
	YARNIntermediateEncryption = entry("yarn.intermediate-data-encryption.enable", bools, "false",
		"Whether what containers keep on disk is encrypted.").protects("files are not encrypted")
	ResourceManagerPrincipal = optional("yarn.resourcemanager.principal", texts,
		"The Kerberos principal of the ResourceManager.").protects(noKerberos)
	ResourceManagerKeytab = entry("yarn.resourcemanager.keytab", filled(texts), "/etc/krb5.keytab",
		"The file with the keys of yarn.resourcemanager.principal.").protects(noKerberos)
	NodeManagerPrincipal = optional("yarn.nodemanager.principal", texts,
		"The Kerberos principal of a NodeManager.").protects(noKerberos)
	NodeManagerKeytab = entry("yarn.nodemanager.keytab", filled(texts), "/etc/krb5.keytab",
		"The file with the keys of yarn.nodemanager.principal.").protects(noKerberos)
	NodeManagerContainerExecutor = entry("yarn.nodemanager.container-executor.class", filled(texts),
		"org.apache.hadoop.yarn.server.nodemanager.DefaultContainerExecutor",
		"What starts containers.").protects("containers run as the NodeManager's own user")
	HadoopAuthentication = entry("hadoop.security.authentication", filled(texts), "simple",
		"How users of Hadoop are authenticated.").protects(noKerberos)
	HadoopAuthorization = entry("hadoop.security.authorization", bools, "false",
		"Whether Hadoop's daemons look at the rights of their callers.").protects(noACLs)
	HadoopRPCProtection = entry("hadoop.rpc.protection", filled(texts), "authentication",
		"Whether Hadoop's RPC is signed or encrypted.").protects(noEncryption)
	HadoopHTTPAuthentication = entry("hadoop.http.authentication.type", filled(texts), "simple",
		"How users of Hadoop's pages are authenticated.").protects(noAuthentication)
)
